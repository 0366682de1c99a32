// Two people and the two ends of their session, for tests of sealing.

import { type DeviceEpoch, fromUtf8, utf8 } from '@parley/protocol/relay';
import { offer } from '../../src/seal/key-packages.ts';
import type { OwnIdentity, Parties } from '../../src/seal/parties.ts';
import { join, open, packageNamedIn, seal, type SealedSession, start } from '../../src/seal/session.ts';
import { newSigningKey } from '../../src/seal/sodium.ts';

export const hour = 3_600_000;
export const epochOf = (counter: number): DeviceEpoch => ({ counter, device: 'AAAAAAAAAAAAAAAAAAAAAA' });
export const header = utf8('{"header":1}');

export function person(name: string): OwnIdentity {
  return { address: `agent:${name}@localhost`, key: newSigningKey(), epoch: epochOf(1) };
}
export const partiesOf = (own: OwnIdentity, other: OwnIdentity): Parties => ({
  own,
  peer: { address: other.address, key: other.key.public, epoch: other.epoch },
});

/** Two people and the two ends of their session; `say` carries one packet across. */
export class Line {
  readonly ann = person('ann');
  readonly bob = person('bob');
  readonly ends: Record<'ann' | 'bob', SealedSession | undefined> = { ann: undefined, bob: undefined };
  readonly parties = { ann: partiesOf(this.ann, this.bob), bob: partiesOf(this.bob, this.ann) };
  readonly bodies: Uint8Array[] = [];
  /** Begins now, because ts-mls compares a key package with the machine's clock. */
  now = Date.now();
  named: Uint8Array | undefined;
  offered: Uint8Array | undefined;

  static async begun(): Promise<Line> {
    const line = new Line();
    const secrets = await offer(line.bob, line.now, 30);
    line.ends.ann = await start(line.parties.ann, secrets.package, line.now);
    const body = await line.sealed('ann', 'hello');
    line.named = packageNamedIn(body);
    line.offered = secrets.reference;
    line.ends.bob = await join(line.parties.bob, secrets, body);
    await line.opened('bob', body);
    return line;
  }

  async sealed(from: 'ann' | 'bob', text: string): Promise<Uint8Array> {
    const result = await seal(this.ends[from]!, this.parties[from], { headerBytes: header, text: utf8(text) }, this.now);
    this.ends[from] = result.session;
    this.bodies.push(result.body);
    return result.body;
  }

  async opened(by: 'ann' | 'bob', body: Uint8Array, headerBytes = header): Promise<string> {
    const result = await open(this.ends[by]!, this.parties[by], { headerBytes, body }, this.now);
    this.ends[by] = result.session;
    return fromUtf8(result.text);
  }

  /** What the other one reads. */
  async say(from: 'ann' | 'bob', text: string): Promise<string> {
    return this.opened(from === 'ann' ? 'bob' : 'ann', await this.sealed(from, text));
  }
}
