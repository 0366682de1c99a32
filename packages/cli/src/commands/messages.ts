import { randomUUID } from 'node:crypto';
import { type Message, type MyConversation, ParleyError, type Explanation, type WouldNow, type Notice } from '@parley/protocol';
import { everyMember } from '@parley/sdk/pages';
import { type HubAccess, needsMember, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../hints.ts';
import { count, applyStyle, printable } from '../output.ts';
import type { CommandContext } from '../settings.ts';
import { standardInput } from '../input.ts';
import { findChannel } from './channels.ts';
import { findMember, sigilHandle } from './members.ts';
import { keptIn, outcomeTexts, policyTexts, provokedText, taskText, noticeText, pointedAt, sigilOf } from '@parley/core';

export async function send(
  { settings, output }: CommandContext,
  target: string,
  words: string[],
  { urgent, confirmAll }: { urgent?: true; confirmAll?: string },
): Promise<void> {
  needsMember(settings, 'Only members can post, and the operator of the hub is not one.');
  const body = await textOf(words);
  const { message, remarks } = await withAccess(settings, async (access) => {
    const conversation = await conversationFor(access, target);
    try {
      // The key makes a retry safe: the hub posts the message once.
      const posted = await access.call(
        'postMessage',
        {
          params: { conversationId: conversation.id },
          body: { body, done: true, ...(urgent ? { urgent } : {}), ...confirmed(confirmAll) },
        },
        { idempotencyKey: randomUUID() },
      );
      return { message: posted, remarks: output.json ? [] : await remarksOn(access, posted) };
    } catch (error) {
      if (error instanceof ParleyError && error.code === 'confirm_all') throw unconfirmed(error);
      if ((error as { code?: string }).code !== 'forbidden' || !('joined' in conversation) || conversation.joined) throw error;
      throw new CliError('failed', `You are not in #${conversation.name}.`, {
        code: 'forbidden',
        hint: `Join it: ${me} channel join ${conversation.name}`,
      });
    }
  });
  output.result(message, `Sent to ${/^[@^]/.test(target) ? target : `#${target.replace(/^#/, '')}`} (${message.id}).`);
  for (const remark of remarks) output.note(remark);
}

/** Tells the author that an agent is missing, or that nobody was woken. */
async function remarksOn(access: HubAccess, { id: messageId, body }: Message): Promise<string[]> {
  // The message is sent: a failed explanation must not look like a failed send.
  const explanation = await access.call('explainMessage', { params: { messageId }, query: {} }).catch(() => null);
  if (!explanation) return [];
  const { agents, quiet, notices } = explanation;
  const lines = await noticeLines(access, notices, body);
  const isQuiet = agents.length + quiet > 0 && agents.every(({ policy }) => policy === 'must_not_respond');
  if (!isQuiet || lines.length > 0) return lines;
  return [`Nobody was woken; ${count(agents.length + quiet, 'agent')} stayed quiet. Call one with ^ and its name.`];
}

function confirmed(typed: string | undefined): { confirmAll?: number } {
  if (typed === undefined) return {};
  if (!/^[1-9]\d{0,5}$/.test(typed)) throw new CliError('usage', `--confirm-all takes the number of agents, not ${typed}.`);
  return { confirmAll: Number(typed) };
}

/** The hub posts nothing yet: the author first sees the number of agents and the estimated cost (PAP-3). */
const unconfirmed = ({ reason, problems, code }: ParleyError): CliError =>
  new CliError('failed', `^ALL would wake ${reason} agents, a turn each. ${problems[0]?.message ?? ''} Nothing was sent.`, {
    code,
    hint: `To send it, add --confirm-all ${reason}.`,
  });

async function textOf(words: string[]): Promise<string> {
  const text =
    words.length === 1 && words[0] === '-' ? await standardInput('Type the message; end with Ctrl-D on an empty line.') : words.join(' ');
  if (text.trim() === '') throw new CliError('usage', 'There is nothing to say: the message is empty.');
  return text;
}

async function conversationFor(access: HubAccess, target: string): Promise<{ id: string } | MyConversation> {
  if (/^[@^]/.test(target)) {
    const member = await findMember(access, target);
    return access.call('openDm', { body: { memberIds: [member.id] } });
  }
  return findChannel(access, target);
}

/** The operator reads no messages. */
const noBody = { body: null };

export async function explain({ settings, output }: CommandContext, typed: string, { wouldNow }: { wouldNow?: true }): Promise<void> {
  const messageId = messageIdOf(typed);
  const query = { wouldNow: wouldNow ? ('true' as const) : ('false' as const) };
  const { explanation, notices } = await withAccess(settings, async (access) => {
    const found = await access.call('explainMessage', { params: { messageId }, query }).catch((error: unknown) => {
      if (!(error instanceof ParleyError) || error.code !== 'not_found') throw error;
      throw new CliError('not_found', `There is no message ${messageId}, or you may not see it.`);
    });
    const { body } = found.notices.length === 0 ? noBody : await access.call('getMessage', { params: { messageId } }).catch(() => noBody);
    return { explanation: found, notices: await noticeLines(access, found.notices, body) };
  });
  output.result(explanation, words(explanation, notices));
}

type Spoken = Pick<Explanation['agents'][number], 'handle' | 'policy' | 'mode' | 'reason' | 'text'>;
const sentenceOf = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
const because = ({ policy, mode, reason, text }: Omit<Spoken, 'handle'>): string => `${policy} ${mode} ${reason}: ${text}`;

function words({ provoked, recorded, agents, quiet, others, floor, wouldNow }: Explanation, notices: readonly string[]): string {
  const width = Math.max(0, ...agents.map(({ handle }) => handle.length + 1));
  const lines = agents.map((agent) => {
    const { handle, policy, mode, outcome, task, problems } = agent;
    const name = applyStyle(policy === 'must_respond' ? ['bold'] : [], `^${handle}`.padEnd(width));
    const became = task === null ? '' : ` ${task.id} (${printable(taskText(task))})`;
    const verdict = `${name}  ${policyTexts[policy].padEnd(10)}  ${because(agent)} ${sentenceOf(outcomeTexts[outcome])}${task === null ? keptIn(mode) : ''}${became}`;
    return [verdict, ...problems.map((problem) => `  ${printable(problem)}`)].join('\n');
  });
  if (quiet > 0 && others) lines.push(`and ${count(quiet, 'more agent')}: ${because(others)}`);
  if (lines.length === 0) lines.push(recorded ? 'No agent was here.' : 'No agent had a task for it.');
  const head = recorded
    ? `The floor was ${floor}; version ${recorded.rules} of the rules decided.${recorded.urgent ? ' It was marked as urgent.' : ''}`
    : 'The decision was not kept; only the tasks for it are known.';
  return [...(provoked ? [provokedText(provoked)] : []), head, ...lines, ...notices, ...(wouldNow ? now(wouldNow) : [])].join('\n');
}

function now({ rules, floor, agents, others }: WouldNow): string[] {
  return [
    `Would now (the floor is ${floor}, version ${rules} of the rules):`,
    ...agents.map((agent) => `  ^${agent.handle}  ${because(agent)}`),
    `  any other agent  ${because(others)}`,
  ];
}

export async function assign(
  { settings, output }: CommandContext,
  typed: string,
  handle: string,
  { urgent }: { urgent?: true },
): Promise<void> {
  needsMember(settings, 'Only members can assign work, and the operator of the hub is not one.');
  const messageId = messageIdOf(typed);
  const { task, agent } = await withAccess(settings, async (access) => {
    const agent = await findMember(access, handle, '^');
    const body = { memberId: agent.id, urgent: urgent === true };
    // A retry sends the same key, so the hub assigns the message once.
    const task = await access.call('assignMessage', { params: { messageId }, body }, { idempotencyKey: randomUUID() });
    return { task, agent };
  });
  output.result(task, `Assigned to ^${agent.handle}: ${task.id} (${printable(taskText(task))}).`);
}

/** Other IDs that people paste here, and the command that shows each. */
const elsewhere: [RegExp, string][] = [
  [/^inv_/, 'invocations show'],
  [/^evt_/, 'events show'],
];

/** Accepts an ID, or the link that the page copies. */
export function messageIdOf(typed: string): string {
  const id = /msg_[0-9A-Z]{26}/.exec(typed)?.[0];
  if (id !== undefined) return id;
  const other = elsewhere.find(([pattern]) => pattern.test(typed));
  throw new CliError('usage', `${typed} is neither the id of a message (msg_…) nor a link to one.`, {
    hint: other
      ? `\`${me} ${other[1]} ${typed}\` says what became of it.`
      : '“Copy link” on a message of the page gives one; `send` prints the id.',
  });
}

/** The notices about a message, as sentences for its author. `body` is null if the message cannot be read. */
export async function noticeLines(access: HubAccess, notices: readonly Notice[], body: string | null): Promise<string[]> {
  if (notices.length === 0) return [];
  const { members } = await everyMember(access);
  const byId = new Map(members.map((member) => [member.id, member]));
  return notices.map((notice) => {
    const written = pointedAt(notice, body);
    const agent = byId.get(notice.agentId ?? '');
    const member = (id: string | null) => (byId.has(id ?? '') ? sigilHandle(byId.get(id!)!) : 'Somebody');
    const sentence = noticeText(notice, { agents: agent ? [agent.handle] : [], member, written });
    const suggestion = notice.nearest === null ? '' : ` Did you mean ${sigilOf(written ?? '^')}${notice.nearest}?`;
    return `${sentence ?? `You got a notice: ${notice.kind.replaceAll('_', ' ')}.`}${suggestion}`;
  });
}
