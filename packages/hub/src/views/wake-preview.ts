// Decides about a text by today's rules and today's members, before it is sent or again long after.

import { attend, type VerdictFields, type TaskReason, taskReasons } from '@parley/core';
import type { Preview } from '@parley/protocol';
import { readRows } from '../engine/decision-reads.ts';
import type { IncomingMessage } from '../engine/steps/conversations/incoming-message.ts';
import { interpretMessage } from '../engine/steps/attention/attend-message.ts';
import { conversationWants } from '../engine/steps/facts/conversation-access.ts';
import type { Store } from '../store/port.ts';
import { activeAgentsIn } from '../store/reads/members.ts';
import type { MemberRow } from '../store/tables.ts';
import { maxListed } from './verdicts.ts';

/** `agent`: its handle; undefined stands for any. `giver`: of who gave it to the agent as work. */
const sentence = (reason: TaskReason, agent?: string, giver?: string): string =>
  (giver === undefined ? taskReasons[reason] : `@${giver} assigned it to {agent}.`).replaceAll(
    '{agent}',
    agent === undefined ? 'the agent' : `^${agent}`,
  );

export const spokenOf = ({ policy, mode, reason }: Omit<VerdictFields, 'task'>, agent?: string, giver?: string) => ({
  policy,
  mode,
  reason,
  text: sentence(reason, agent, giver),
});

/** The agents that the text would wake come first. Without `now`, no request is still growing. */
export async function decidedNow(
  store: Store,
  heard: IncomingMessage,
  now = Infinity,
): Promise<Pick<Preview, 'floor' | 'agents' | 'quiet' | 'others'>> {
  const { called, others } = await readRows(store, conversationWants(heard.conversation.id), (set) => {
    const heeding = interpretMessage(heard, set, now);
    const verdicts = new Map<string, VerdictFields>(heeding.called.map(({ agent, verdict }) => [agent.id, verdict]));
    // As it is kept: to the one that said it, it is its own.
    if (heard.author.kind === 'agent') verdicts.set(heard.author.id, attend(heeding.said, { id: heard.author.id, handle: '' }));
    return { called: verdicts, others: heeding.others };
  });
  const members = await activeAgentsIn(store, heard.home.id, maxListed + 1000);
  const verdictOf = ({ id }: MemberRow): VerdictFields => called.get(id) ?? others;
  const first = members.toSorted((a, b) => Number(verdictOf(b).task) - Number(verdictOf(a).task));
  return {
    floor: heard.home.floor,
    agents: first.slice(0, maxListed).map((agent) => ({
      agentId: agent.id,
      handle: agent.handle,
      ...spokenOf(verdictOf(agent), agent.handle),
    })),
    quiet: Math.max(0, first.length - maxListed),
    others: spokenOf(others),
  };
}
