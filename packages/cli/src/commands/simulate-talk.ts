// Simulates a channel with another floor or other agents (SYS-5). The record holds each agent's circumstances for each message,
// and the same rules decide again. It posts nothing and wakes nobody.

import { everyMember } from '@parley/sdk/pages';
import { type Circumstances, policyTexts, preview, asMoney } from '@parley/core';
import { type Explanation, foldHandle, type Member, type Message } from '@parley/protocol';
import type { OnProgress } from '@parley/hub';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { arrow, count, differenceLines, type Output, table } from '../output.ts';
import { nothingStored, withProgress } from '../progress.ts';
import type { Settings } from '../settings.ts';
import { findMember } from './members.ts';
import { findChannel } from './channels.ts';

interface TalkOptions {
  channel: string;
  floor?: string;
  agent: string[];
  without: string[];
  since: number;
  last: number;
}

type Recorded = NonNullable<Explanation['recorded']>;
type Policy = Recorded['agents'][number]['policy'];
interface RecordedMessage {
  message: Message;
  recorded: Recorded;
}
type Counts = Record<Policy, number>;

const page = 200;

export async function simulateTalk(settings: Settings, options: TalkOptions, output: Output): Promise<void> {
  const { floor } = options;
  if (floor !== undefined && floor !== 'polite' && floor !== 'open')
    throw new CliError('usage', `--floor ${floor} is neither polite nor open.`);
  const report = await withAccess(settings, async (access): Promise<Report> => {
    const { id: conversationId } = await findChannel(access, options.channel);
    const room = await roomOf(access, conversationId);
    const added = await Promise.all(options.agent.map((handle) => findMember(access, handle)));
    const gone = new Set((await Promise.all(options.without.map((handle) => findMember(access, handle)))).map(({ id }) => id));
    const said = await withProgress(output, nothingStored, (onProgress) => saidIn(access, conversationId, options, onProgress));
    const each = await costOfOne(access, conversationId);
    const changes: Change[] = [];
    const agents = new Map<string, { was: Counts; would: Counts }>();
    for (const one of said)
      for (const { handle, was, would } of decidedAgain(one, room, { floor, added, gone })) {
        const of = agents.get(handle) ?? { was: none(), would: none() };
        agents.set(handle, of);
        if (was !== null) of.was[was]++;
        if (would !== null) of.would[would]++;
        if (was !== would) changes.push({ messageId: one.message.id, at: one.message.createdAt, handle, was, would });
      }
    return {
      messages: said.length,
      agents: [...agents]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([handle, of]) => ({
          handle,
          ...of,
          micros: { was: Math.round(of.was.must_respond * each), would: Math.round(of.would.must_respond * each) },
        })),
      changes: changes.slice(0, mostChanges),
      moreChanges: Math.max(0, changes.length - mostChanges),
    };
  });
  output.result(report, words(report));
}

interface Report {
  messages: number;
  agents: { handle: string; was: Counts; would: Counts; micros: { was: number; would: number } }[];
  changes: Change[];
  moreChanges: number;
}
interface Change {
  messageId: string;
  at: number;
  handle: string;
  was: Policy | null;
  would: Policy | null;
}
const mostChanges = 1000;
const none = (): Counts => ({ must_respond: 0, may_respond: 0, must_not_respond: 0 });

interface Room {
  members: Map<string, Member>;
  people: Member[];
  rolesOf: (id: string) => string[];
}

async function roomOf(access: HubAccess, conversationId: string): Promise<Room> {
  const [{ members }, { memberships }, { roles }] = await Promise.all([
    everyMember(access),
    access.call('listMemberships', { params: { conversationId } }),
    access.call('listRoles'),
  ]);
  const byId = new Map(members.map((member) => [member.id, member]));
  return {
    members: byId,
    people: memberships.flatMap(({ memberId }) => byId.get(memberId) ?? []).filter(({ kind }) => kind === 'human'),
    rolesOf: (id) => roles.filter(({ holderIds }) => holderIds.includes(id)).map(({ handle }) => handle),
  };
}

/** The oldest first; what the platform said, what was deleted, and what nothing was kept of is left out. */
async function saidIn(
  access: HubAccess,
  conversationId: string,
  { since, last }: TalkOptions,
  onProgress: OnProgress,
): Promise<RecordedMessage[]> {
  const all: Message[] = [];
  for (let before: number | undefined; all.length < last;) {
    const query = { limit: Math.min(page, last - all.length), ...(before === undefined ? {} : { before }) };
    const { messages, moreBefore } = await access.call('listMessages', { params: { conversationId }, query });
    all.unshift(...messages);
    before = messages[0]?.seq;
    if (!moreBefore || before === undefined || messages[0]!.createdAt < since) break;
  }
  const said: RecordedMessage[] = [];
  for (const [done, message] of all.entries()) {
    onProgress({ act: 'Reading verdicts', done, total: all.length, unit: 'message' });
    if (message.authorId === null || message.body === null || message.createdAt < since) continue;
    const { recorded } = await access.call('explainMessage', { params: { messageId: message.id }, query: {} });
    if (recorded) said.push({ message, recorded });
  }
  return said;
}

/** The average cost of a task in this channel. */
async function costOfOne(access: HubAccess, conversationId: string): Promise<number> {
  const { chains } = await access.call('listChains', { query: { state: 'all', conversationId, limit: 100 } });
  const tasks = chains.reduce((sum, { steps }) => sum + steps.length, 0);
  return tasks === 0 ? 0 : chains.reduce((sum, { micros }) => sum + micros, 0) / tasks;
}

type Standing = ReturnType<NonNullable<Circumstances['standing']>>;

/** How it stood to the message: where that decided, the reason on record tells. */
function standingOf(reason: string | undefined): Standing {
  switch (reason) {
    case 'author_blocked':
      return { blocks: true };
    case 'left':
      return { left: true };
    case 'reply':
    case 'fragment':
      return { continuing: reason };
    case 'follow_up':
      return { continuing: 'requester' };
    case 'assigned':
      return { assigned: true };
    default:
      return {};
  }
}

function decidedAgain(
  { message, recorded }: RecordedMessage,
  { members, people, rolesOf }: Room,
  { floor, added, gone }: { floor: 'polite' | 'open' | undefined; added: readonly Member[]; gone: ReadonlySet<string> },
): { handle: string; was: Policy | null; would: Policy | null }[] {
  const author = members.get(message.authorId!);
  if (!author) return [];
  const was = new Map(recorded.agents.map((one) => [one.agentId, one]));
  const ids = new Set([...was.keys(), ...added.map(({ id }) => id)].filter((id) => members.has(id) && !gone.has(id)));
  const here = [...new Map([author, ...people, ...[...ids].map((id) => members.get(id)!)].map((one) => [one.id, one])).values()];
  const byHandle = new Map(here.map((one) => [one.handle, one]));
  const ofReason = (reason: string) => recorded.agents.filter((one) => one.reason === reason);
  const { verdicts } = preview(
    {
      kind: 'channel',
      floor: floor ?? recorded.floor,
      members: here.map(({ id, handle, kind }) => ({ handle, kind, roles: rolesOf(id) })),
    },
    author.handle,
    message.body!,
    {
      attachments: message.attachments.length,
      standing: (handle) => standingOf(was.get(byHandle.get(handle)!.id)?.reason),
      about: {
        urgent: recorded.urgent,
        notification: recorded.notification,
        path: ofReason('in_path').flatMap(({ agentId }) => foldHandle(members.get(agentId)?.handle ?? '')),
        final: ofReason('final_answer').length > 0,
      },
    },
  );
  return [...new Set([...was.keys(), ...ids])].flatMap((id) => {
    const handle = members.get(id)?.handle;
    return handle === undefined ? [] : { handle, was: was.get(id)?.policy ?? null, would: verdicts.get(handle)?.policy ?? null };
  });
}

const endOf = (policy: Policy | null): string => (policy === null ? 'not here' : policyTexts[policy]);

function words({ messages, agents, changes, moreChanges }: Report): string {
  if (messages === 0) return 'There are no messages on record there.';
  const rows = agents.map(({ handle, was, would, micros }) => [
    `^${handle}`,
    ...(['must_respond', 'may_respond', 'must_not_respond'] as const).map((one) => arrow(String(was[one]), String(would[one]))),
    arrow(asMoney(micros.was), asMoney(micros.would)),
  ]);
  const differences = changes.map(({ messageId, handle, was, would }) => `  ${messageId} and ^${handle}: ${endOf(was)} → ${endOf(would)}`);
  return [
    `${count(messages, 'message')}; before → would have been.`,
    table(['AGENT', 'WOKEN', 'MAY ANSWER', 'QUIET', 'COST'], rows),
    ...differenceLines(differences, moreChanges),
  ].join('\n');
}
