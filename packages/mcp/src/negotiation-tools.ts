// Opening, reading and steering negotiations.

import type { NegotiationSummary } from '@parley/protocol';
import { Needs } from '@parley/protocol/relay';
import { z } from 'zod';
import { negotiationLine, wholeNegotiation } from './peer-words.ts';
import { type PeerTool, tool, type ToolCall } from './tool.ts';

export const negotiationId = z.string().describe('The ID of a negotiation (thr_…) or of one of its prompts');
export const address = z.string().describe('agent:<name>@<relay>, as list_people shows it');

/** A client without forms gets the person's own values too, because no form can show them. */
export const showNegotiation = async ({ peer, hasForms }: ToolCall, threadId: string): Promise<object> =>
  wholeNegotiation(await peer.negotiation({ threadId }), !hasForms);

/** Shows the negotiation after the change. */
export async function showAfter({ peer, hasForms }: ToolCall, change: Promise<NegotiationSummary | null>): Promise<object> {
  const { threadId, line = null } = (await change)!;
  return wholeNegotiation({ ...(await peer.negotiation({ threadId, isStored: true })), line }, !hasForms);
}

export const negotiationTools: PeerTool[] = [
  tool({
    name: 'negotiate',
    title: 'Arrange something',
    description:
      'Lets your person’s peer arrange something with the peer of somebody they know. Use only what your person asked for, in their words. The peers exchange packets for minutes to hours: look again with show_negotiation.',
    effect: 'writes',
    input: z.object({
      address,
      intent: z.string().describe('What your person wants, in their words: “Dinner on Friday”'),
      needs: Needs.optional().describe('Fields to ask for, where it is no meeting'),
    }),
    run: ({ address: whom, ...request }, call) => showAfter(call, call.peer.open({ with: { address: whom }, ...request })),
  }),
  tool({
    name: 'ask_without_agent',
    title: 'Ask somebody without an agent',
    description:
      'Writes a text for somebody who has no agent, with times to choose from. Give the text to your person, who sends it; it uses only what they always share and what they said.',
    effect: 'writes',
    input: z.object({
      name: z.string().describe('Whom the text is for'),
      intent: z.string().describe('The meeting that your person wants, in their words: “Dinner on Friday”'),
    }),
    run: (request, call) => showAfter(call, call.peer.invite(request)),
  }),
  tool({
    name: 'pass_on_answer',
    title: 'Pass on an answer',
    description:
      'Takes what somebody without an agent answered, in the words that your person gives you. If they are unclear, ask your person which offered time was meant.',
    effect: 'writes',
    input: z.object({ id: negotiationId, words: z.string().describe('Their answer, word for word, or the number of the offered time') }),
    run: ({ id, words }, call) => showAfter(call, call.peer.reply({ threadId: id, reply: { kind: 'words', text: words } })),
  }),
  tool({
    name: 'negotiate_group',
    title: 'Arrange something with several people',
    description:
      'Lets your person’s peer arrange a meeting with the peers of several people they know, as their coordinator. Use only what your person asked for, in their words.',
    effect: 'writes',
    input: z.object({
      addresses: z.array(address).min(2).max(49).describe('Everybody but your person'),
      intent: z.string().describe('What your person wants, in their words: “Game night on Friday”'),
      quorum: z.int().min(2).max(50).optional().describe('So many confirmations are enough, your person’s too; left out: everybody’s'),
      order: z.array(address).max(50).optional().describe('Who confirms in which order'),
    }),
    run: ({ addresses, intent, quorum, order }, call) => {
      const group = { quorum, order: order?.map((one) => ({ address: one })) };
      return showAfter(call, call.peer.open({ with: addresses.map((one) => ({ address: one })), intent, group }));
    },
  }),
  tool({
    name: 'transfer_coordinator',
    title: 'Hand over a group',
    description:
      'Offers the coordination of a group to the peer of one of its members, which accepts or declines by itself. Only before something is proposed.',
    effect: 'writes',
    input: z.object({ id: negotiationId, to: address, reason: z.string().optional().describe('Why: their peer reads it') }),
    run: ({ id, ...offer }, call) => showAfter(call, call.peer.transfer({ threadId: id, ...offer })),
  }),
  tool({
    name: 'list_negotiations',
    title: 'List negotiations',
    description: 'Fetches what came and lists every negotiation, with the tool that answers what waits for your person.',
    effect: 'reads',
    input: z.object({}),
    run: async (_, { peer }) => {
      const lines = (await peer.negotiations()).map(async (one) => {
        const open = one.waitsForMe ? await peer.negotiation({ threadId: one.threadId, isStored: true }) : undefined;
        return negotiationLine(one, open?.openPrompts ?? []);
      });
      return { negotiations: await Promise.all(lines) };
    },
  }),
  tool({
    name: 'show_negotiation',
    title: 'Show a negotiation',
    description: 'Fetches what came and shows one negotiation: its proposal, what was received, and what waits for your person.',
    effect: 'reads',
    input: z.object({ id: negotiationId }),
    run: ({ id }, call) => showNegotiation(call, id),
  }),
  tool({
    name: 'continue_negotiation',
    title: 'Continue a negotiation',
    description: 'Lets the peers go on after a conflict, a failure or their limit, with what your person wants to try.',
    effect: 'writes',
    input: z.object({ id: negotiationId, different: z.string().optional().describe('What to try, in your person’s words: “next week”') }),
    run: ({ id, different }, call) => showAfter(call, call.peer.steer({ threadId: id, act: 'continue', words: different })),
  }),
  tool({
    name: 'change_intent',
    title: 'Change what it is about',
    description:
      'Says what a running negotiation is about now, in your person’s words. An open proposal ends. The other person is asked first where it is about something new.',
    effect: 'writes',
    input: z.object({
      id: negotiationId,
      intent: z.string().describe('“Game night on Friday (dinner and games)”'),
      needs: Needs.optional().describe('Fields to ask for besides'),
    }),
    run: ({ id, ...words }, call) => showAfter(call, call.peer.changeIntent({ threadId: id, ...words })),
  }),
  tool({
    name: 'split_negotiation',
    title: 'Split a negotiation',
    description:
      'Splits something off as a negotiation of its own, in your person’s words. The first one goes on with what is left. `forks` has the new IDs.',
    effect: 'writes',
    input: z.object({
      id: negotiationId,
      into: z.array(z.string()).describe('What is split off: “Games on Friday at 21:00”'),
      rest: z.string().optional().describe('What is left: “Dinner on Friday at 19:00”'),
    }),
    run: ({ id, ...parts }, call) =>
      showAfter(
        call,
        call.peer.fork({ threadId: id, ...parts }).then(([parent]) => parent!),
      ),
  }),
  tool({
    name: 'end_negotiation',
    title: 'End a negotiation',
    description: 'Ends a negotiation. The other side gets a decline.',
    effect: 'removes',
    input: z.object({ id: negotiationId }),
    run: ({ id }, call) => showAfter(call, call.peer.steer({ threadId: id, act: 'decline' })),
  }),
];
