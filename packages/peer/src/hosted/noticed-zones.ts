// The time zones that people's browsers named. Without one, a peer would count in the zone of the hub's machine.

import { lookUp, withField } from '@parley/core/consent';
import { badInput } from '@parley/protocol';
import { putProfile } from '../negotiate/negotiation-records.ts';
import type { HostedPeer } from './hosted-peer.ts';
import { zoneProblem } from './zone-names.ts';

/** Kept until the peer is made. After a restart, the page names it again. */
export class NoticedZones {
  readonly #names = new Map<string, string>();

  notice(memberId: string, zone: string): void {
    const problem = zoneProblem(zone);
    if (problem !== undefined) throw badInput(problem);
    this.#names.set(memberId, zone);
  }

  async give(memberId: string, hosted: HostedPeer): Promise<void> {
    const zone = this.#names.get(memberId);
    if (zone === undefined) return;
    this.#names.delete(memberId);
    await takeZone(hosted, zone);
  }
}

/** One that the person chose stays. */
export const takeZone = ({ peer, negotiations, store }: HostedPeer, zone: string): Promise<void> =>
  peer.inTurn(async () => {
    const profile = await negotiations.profile();
    if (lookUp(profile.fields, 'timezone') !== undefined) return;
    await store.commit([putProfile({ ...profile, fields: withField(profile.fields, 'timezone', zone) })]);
  });
