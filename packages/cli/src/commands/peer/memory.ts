// `parley peer memory`: shows, corrects and forgets what a peer remembers of other people.

import type { RelationshipMemory } from '@parley/protocol';
import { count, printable, printableLines, table } from '../../output.ts';
import { valueIn } from './negotiate.ts';
import { type PeerCommandContext, withPeer } from './peer-access.ts';

export async function show(context: PeerCommandContext, address: string | undefined): Promise<void> {
  const memories = await withPeer(context, (peer) => peer.memory(address === undefined ? {} : { address }));
  context.output.result({ memories }, memories.length === 0 ? 'Nothing is remembered yet.' : memories.map(wordsOf).join('\n\n'));
}

export async function set(context: PeerCommandContext, address: string, field: string, text: string): Promise<void> {
  const value = valueIn(text);
  const memory = await withPeer(context, (peer) => peer.editMemory({ address, field, value }));
  context.output.result(memory, `${address}: ${field} is ${printable(JSON.stringify(value))}.`);
}

export const label = (context: PeerCommandContext, address: string, text: string): Promise<void> =>
  describe(context, address, 'label', text);
export const notes = (context: PeerCommandContext, address: string, text: string): Promise<void> =>
  describe(context, address, 'notes', text);

async function describe(context: PeerCommandContext, address: string, part: 'label' | 'notes', text: string): Promise<void> {
  const words = text === '' ? null : text;
  const memory = await withPeer(context, (peer) =>
    peer.editMemory(part === 'label' ? { address, label: words } : { address, notes: words }),
  );
  context.output.result(memory, `${address}: ${part} ${words === null ? 'removed' : `is ${printable(JSON.stringify(words))}`}.`);
}

export async function forget(context: PeerCommandContext, address: string, field: string | undefined): Promise<void> {
  if (field === undefined) await withPeer(context, (peer) => peer.forgetMemory({ address }));
  else await withPeer(context, (peer) => peer.editMemory({ address, field, value: null }));
  context.output.result({ address, field: field ?? null }, `Forgot ${field ?? 'everything that was learned'} of ${address}.`);
}

/** Values are words of the peer. */
function wordsOf(memory: RelationshipMemory): string {
  const { address, label, notes, interactions, lastAt, intents, asks, shares, declines, responseMs, flexibility, trust, cache } = memory;
  const { preferredResolutionStyle: style } = memory;
  const last = lastAt === null ? '' : `, last on ${new Date(lastAt).toISOString().slice(0, 10)}`;
  const lines = [
    ['Label', label === null ? [] : [label]],
    ['Notes', notes === null ? [] : [notes]],
    ['Met for', intents],
    ['They ask for', asks],
    ['They give', shares],
    ['They do not give', declines],
    ['They answer within', responseMs === null ? [] : [`${Math.max(1, Math.round(responseMs / 60_000))} min on average`]],
    ['Flexibility', Object.entries(flexibility).map(([wish, word]) => `${wish} ${word.replaceAll('_', ' ')}`)],
    ['You two usually', style === null ? [] : [style === 'quick_decision' ? 'agree on the first proposal' : 'compare several proposals']],
    ['Trust', [trust.level, ...trust.signals]],
  ] as const;
  const habits = lines.filter(([, names]) => names.length > 0).map(([label, names]) => `  ${label}: ${names.join(', ')}`);
  const rows = cache.map(({ field, value, updatedAt, confidence, before }) => [
    `  ${printable(field)}`,
    printable(JSON.stringify(value)),
    new Date(updatedAt).toISOString().slice(0, 10),
    confidence === 'low' ? 'Old: verified at the next meeting' : before === null ? '' : `Before: ${printable(JSON.stringify(before))}`,
  ]);
  const values = rows.length === 0 ? [] : [table(['  FIELD', 'VALUE', 'SINCE', ''], rows)];
  return [printableLines([`${address}: ${count(interactions, 'negotiation')}${last}`, ...habits]), ...values].join('\n');
}
