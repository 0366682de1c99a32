// `parley peer profile` and `parley peer tiers`: what the peer knows about its person, and who gets it.

import { defaultSharing, fieldKey, type SharingRules, type SharingTier, tierOf } from '@parley/core/consent';
import { printable, table } from '../../output.ts';
import { me } from '../../hints.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';

const tierNames: Readonly<Record<SharingTier, string>> = { always_share: 'always', ask_first: 'ask', never_share: 'never' };

export async function listProfile(context: PeerCommandContext): Promise<void> {
  const { fields } = await withPeer(context, (peer) => peer.profile());
  const rows = Object.entries(fields).map(([field, value]) => [field, printable(JSON.stringify(value))]);
  const none = `Nothing yet. Set a value with \`${me} peer profile set dietary vegan${inFolder(context)}\`.`;
  context.output.result({ fields }, rows.length === 0 ? none : table(['FIELD', 'VALUE'], rows));
}

export async function listTiers(context: PeerCommandContext): Promise<void> {
  const { fields, tiers: base, overrides } = await withPeer(context, (peer) => peer.profile());
  const known = Object.keys(fields);
  const rows = tierRows({ base, overrides, known });
  context.output.result({ known, tiers: base, overrides }, table(['FIELD', 'EVERYBODY', 'EXCEPT'], rows));
  context.output.note('  Any other field: you are asked first.');
}

/** One row for free time, under the name that peers ask for. */
const rowOf = (field: string): string => (fieldKey(field) === 'general_availability' ? 'time_windows' : fieldKey(field));

export function tierRows({ known, base, overrides }: SharingRules & { known: readonly string[] }): string[][] {
  const named = [defaultSharing.base, base, ...Object.values(overrides)].flatMap((tiers) => Object.keys(tiers));
  const everybody: SharingRules = { base, overrides: {} };
  return [...new Set([...named, ...known].map(rowOf))].map((field) => {
    const exceptions = Object.entries(overrides)
      .filter(([, tiers]) => Object.keys(tiers).some((name) => rowOf(name) === field))
      .map(([address]) => `${address} ${tierNames[tierOf({ base, overrides }, field, address)]}`);
    return [printable(field), tierNames[tierOf(everybody, field, '')], printable(exceptions.join(', '))];
  });
}
