// Why each agent was woken by a message, or was not, and what became of it (C2A-32): from what was kept, with today's
// names put to it.

import { type VerdictFields, isAnyones, outcomeOf, taskPolicy, type TaskReason } from '@parley/core';
import type { Explanation, RecordedVerdict, Task, WouldNow } from '@parley/protocol';
import type { IncomingMessage } from '../engine/steps/conversations/incoming-message.ts';
import type { Reader, Store } from '../store/port.ts';
import { roundOf, tasksOfMessage } from '../store/reads/tasks.ts';
import type { MessageRow, OfferRow, TaskRow } from '../store/tables.ts';
import { agentsThen, recordedView, verdictsOn } from './verdicts.ts';
import { taskViews } from './tasks.ts';
import { decidedNow, spokenOf } from './wake-preview.ts';

interface Asked {
  message: MessageRow;
  heard: IncomingMessage;
  rules: number;
  /** Returns today's verdicts even if they are the same. */
  wouldNow: boolean;
  /** An invocation posted it: it calls nobody, whatever it says, then as now. */
  calledNobody: boolean;
}

type AgentVerdict = Omit<Explanation['agents'][number], 'problems'>;
type Verdicts = Omit<Explanation, 'messageId' | 'provoked' | 'notices' | 'agents'> & { agents: AgentVerdict[] };

export async function explainVerdicts(store: Store, asked: Asked): Promise<Verdicts> {
  const { message, heard } = asked;
  const { home } = heard;
  const [kept, tasks, round] = await Promise.all([
    verdictsOn(store, message),
    tasksOfMessage(store, message.id),
    roundOn(store, message.id),
  ]);
  const recorded = kept ? recordedView(kept.verdicts, await agentsThen(store, home.id, kept.seq)) : null;
  return {
    recorded,
    floor: recorded?.floor ?? home.floor,
    agents: await verdicts(store, message.id, recorded, tasks, round),
    quiet: recorded?.more ?? 0,
    others: recorded && spokenOf(recorded.others as VerdictFields),
    wouldNow: message.deleted_at === null && !asked.calledNobody ? await rerun(store, recorded, asked) : null,
  };
}

/** Without a record, only the agents with a task for the message are known. */
function decisions(
  recorded: RecordedVerdict | null,
  tasks: readonly TaskRow[],
  round: WentRound | undefined,
): (VerdictFields & { agentId: string; withheld: boolean })[] {
  const recordedVerdicts = (recorded?.agents ?? []).map((one) => ({ ...one, reason: one.reason as TaskReason }));
  const recordedIds = new Set(recordedVerdicts.map(({ agentId }) => agentId));
  // A task that was redirected or assigned later, or is older than verdicts, states its own reason.
  const laterVerdicts = tasks
    .filter(({ agent_id, addressed_by }) => agent_id !== null && (addressed_by === 'assigned' || !recordedIds.has(agent_id)))
    .map(({ agent_id, mode, addressed_by }) => ({
      agentId: agent_id!,
      policy: taskPolicy(addressed_by),
      mode,
      reason: addressed_by,
      task: true,
      withheld: false,
    }));
  // In a large conversation, such an agent is among those that are not listed.
  const offerVerdicts = (recorded ? (round?.offers ?? []) : [])
    .filter(({ agent_id }) => !recordedIds.has(agent_id))
    .map(({ agent_id }) => ({ ...(recorded!.others as VerdictFields), agentId: agent_id, task: false, withheld: false }));
  return [...new Map([...recordedVerdicts, ...offerVerdicts, ...laterVerdicts].map((one) => [one.agentId, one])).values()];
}

async function verdicts(
  store: Reader,
  messageId: string,
  recorded: RecordedVerdict | null,
  tasks: readonly TaskRow[],
  round: WentRound | undefined,
): Promise<AgentVerdict[]> {
  const decided = decisions(recorded, tasks, round);
  const givers = await giversOf(store, tasks);
  const [members, offers, views] = await Promise.all([
    store.rows('members', { id: [...decided.map(({ agentId }) => agentId), ...givers.values()] }),
    store.rows('offers', { message_id: messageId, state: ['declined', 'expired'] }),
    taskViews(store, [...tasks]).then((found) => new Map<string | null, Task>(found.map((view) => [view.agentId, view]))),
  ]);
  const handles = new Map(members.map(({ id, handle }) => [id, handle]));
  const letGo = new Map(offers.map(({ agent_id, state }) => [agent_id, state as 'declined' | 'expired']));
  /** Whether the message was offered for this reason, and whether the offer is claimed or open. */
  const offeredFor = (reason: string) => {
    const offered = tasks.filter(({ addressed_by }) => isAnyones(addressed_by) && addressed_by === reason);
    if (offered.length === 0) return undefined;
    return { taken: offered.some(({ agent_id }) => agent_id !== null), open: offered.some(({ open }) => open === 1) };
  };
  return decided
    .map(({ agentId, withheld, ...one }) => {
      const handle = handles.get(agentId) ?? '';
      const task = views.get(agentId);
      const offer = round?.offers.find((asked) => asked.agent_id === agentId);
      const outcome = outcomeOf(one, {
        withheld,
        task,
        letGo: round ? undefined : letGo.get(agentId),
        anyone: offeredFor(one.reason),
        round: round && { ...round, mine: offer?.state },
      });
      const offerNumber = offer?.n ?? null;
      const assignedBy = (one.reason === 'assigned' && givers.get(agentId)) || null;
      const spoken = spokenOf(one, handle, assignedBy === null ? undefined : handles.get(assignedBy));
      const text = `${spoken.text}${offerNumber === null ? '' : ` It was the ${places[offerNumber - 1]} to be asked.`}`;
      return { agentId, handle, ...spoken, text, asked: offerNumber, assignedBy, outcome, cause: task?.cause ?? null, task: task ?? null };
    })
    .toSorted(
      (a, b) =>
        Number(b.task !== null) - Number(a.task !== null) ||
        (a.asked ?? places.length) - (b.asked ?? places.length) ||
        (a.handle.toLowerCase() < b.handle.toLowerCase() ? -1 : 1),
    );
}

const places = ['first', 'second', 'third', 'next'] as const;

interface WentRound {
  taken: boolean;
  open: boolean;
  offers: OfferRow[];
}

/** The offer round of an open floor. Any message of the round leads to the whole round. */
async function roundOn(store: Reader, messageId: string): Promise<WentRound | undefined> {
  const round = await roundOf(store, messageId);
  if (!round) return undefined;
  const offers = await store.rows('offers', { message_id: round.message_id }, { order: 'n' });
  return { taken: offers.some(({ state }) => state === 'taken'), open: round.open === 1, offers };
}

/** The person who last assigned the message to each agent. */
async function giversOf(store: Reader, tasks: readonly TaskRow[]): Promise<Map<string, string>> {
  const facts = await store.rows(
    'facts',
    {
      subject_id: [...new Set(tasks.filter(({ addressed_by }) => addressed_by === 'assigned').map(({ message_id }) => message_id))],
      type: 'message.assigned',
    },
    { order: 'seq' },
  );
  return new Map(facts.flatMap(({ member_id, actor_id }) => (member_id === null || actor_id === null ? [] : [[member_id, actor_id]])));
}

/** The same text, decided again by today's rules in today's room. */
async function rerun(store: Store, recorded: RecordedVerdict | null, { heard, rules, wouldNow }: Asked): Promise<WouldNow | null> {
  if (!recorded && !wouldNow) return null;
  const { floor, agents, others } = await decidedNow(store, heard);
  if (wouldNow) return { rules, floor, agents, others };
  const recordedById = new Map(recorded!.agents.map((one) => [one.agentId, one]));
  const differs = (a: { policy: string; mode: string; reason: string }, b: typeof a): boolean =>
    a.policy !== b.policy || a.mode !== b.mode || a.reason !== b.reason;
  // Nothing was decided for who has come since: it is named where it would be apart from the rest.
  const changed = agents.filter((one) => differs(one, recordedById.get(one.agentId) ?? others));
  return changed.length > 0 || differs(others, recorded!.others) ? { rules, floor, agents: changed, others } : null;
}
