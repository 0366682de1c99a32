// A made-up person for somebody who wants to try a negotiation alone: shares what is asked and confirms what is proposed.

import { isEnded } from '@parley/core/negotiation';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { answerConsent, answerProposal, steer } from '../negotiate/prompts.ts';
import type { ConsentPrompt } from '../negotiate/negotiation-records.ts';
import { setBlock, removePeer } from '../packets/blocks-and-removal.ts';
import { allRecords, valuesOf } from '../packets/peer-records.ts';
import { openPromptsOf } from '../calls/statuses.ts';
import type { HostedPeer } from './hosted-peer.ts';

export const sampleHandle = 'sample-friend';
/** Says at each place that nobody is behind it. */
export const sampleName = 'Sample friend (made up)';
export const sampleId = (memberId: string): string => `${memberId}.sample`;

const values: Readonly<Record<string, string>> = {
  location_preference: 'the city centre',
  budget_range: '20–30',
  phone: 'none: I am made up',
};

/** As a person would answer, without the wait. */
export function answerAsSample(hosted: HostedPeer, threadId: string): void {
  const answer = async (): Promise<void> => {
    const { negotiations, store } = hosted;
    const [prompt] = await openPromptsOf(store, await negotiations.find(threadId));
    if (prompt?.kind === 'consent') await answerConsent(negotiations, prompt.id, prompt.items.map(answerFor));
    if (prompt?.kind === 'confirmation') await answerProposal(negotiations, prompt.id, { kind: 'confirm' });
  };
  // The engine's turn ends first.
  setImmediate(() => void answer().catch((error: Error) => hosted.options.hub.log(`${sampleName}: ${error.message}`)));
}

const answerFor = ({ field, value, choices }: ConsentPrompt['items'][number]) => ({
  field,
  answer: 'share' as const,
  value: value ?? choices[0] ?? values[field] ?? 'anything',
});

/** The hub has stored that everything with the friend has ended, and closes its checkpoints. */
export async function endWithFriend(hosted: HostedPeer, friend: string): Promise<void> {
  const open = await valuesOf(hosted.store, 'machine', ({ machine }) => machine.peer === friend && !isEnded(machine.state));
  for (const { machine } of open) await steer(hosted.negotiations, machine.threadId, 'decline');
  await hosted.reported();
}

/** Once the friend is off the line: a packet that came later would make it a stranger. */
export async function forgetFriend({ peer, link, negotiations }: HostedPeer, friend: string): Promise<void> {
  const known = (await peer.list()).find(({ address }) => address === friend);
  if (known?.blocked) await setBlock(peer, friend, false);
  // Without a line nothing comes either.
  await Promise.all([link.refresh(), link.drained()]).catch(() => {});
  await removeEvents(negotiations, friend);
  if (known) await removePeer(peer, friend);
}

/** Made-up meetings keep nobody from a real one. */
async function removeEvents(negotiations: Negotiations, friend: string): Promise<void> {
  const { servers } = await negotiations.profile();
  for await (const { value } of allRecords(negotiations.store, 'journal'))
    if (value.call.peer === friend && value.call.action.action === 'add_calendar_event')
      await negotiations.parts.calendar.remove(value.call.key, negotiations.now, servers);
}
