import { randomUUID } from 'node:crypto';
import { type Message, type MyConversation, ParleyError } from '@parley/protocol';
import { everyConversation } from '@parley/sdk/pages';
import { type HubAccess, needsMember, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { noticeLines } from '../notice-lines.ts';
import { me } from '../program-name.ts';
import { count, type Output } from '../output.ts';
import type { Settings } from '../settings.ts';
import { standardInput } from '../standard-input.ts';
import { didYouMean } from '../suggest.ts';
import { findMember } from './members.ts';

export async function send(
  settings: Settings,
  target: string,
  words: string[],
  { urgent, confirmAll }: { urgent?: true; confirmAll?: string },
  output: Output,
): Promise<void> {
  needsMember(settings, 'Only members can post, and the operator of the hub is not one.');
  const body = await textOf(words);
  const { message, remarks } = await withAccess(settings, async (access) => {
    const conversation = await conversationFor(access, target);
    try {
      // The key makes a retry safe: said once, however often it has to be sent.
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

/** What its author should know: an agent that was called and is not there, or that nobody was woken. */
async function remarksOn(access: HubAccess, { id: messageId, body }: Message): Promise<string[]> {
  // It is sent: a failure to say more of it must not look like one of sending.
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

/** Not sent: their number and the estimated cost are shown first (PAP-3). */
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

/** By its name, or its id. */
export async function findChannel(access: HubAccess, target: string): Promise<{ id: string } | MyConversation> {
  if (target.startsWith('con_')) return { id: target };
  const name = target.replace(/^#/, '');
  const { conversations } = await everyConversation(access);
  const channels = conversations.filter(({ kind }) => kind === 'channel');
  const fold = (text: string | null): string => (text ?? '').normalize('NFKC').toLowerCase();
  const named = channels.filter((channel) => fold(channel.name) === fold(name));
  const joined = named.filter((channel) => channel.joined);
  if (joined.length > 1)
    throw new CliError('usage', `You are in ${joined.length} channels named #${name}.`, {
      hint: `Write the id of one: ${joined.map(({ id, visibility }) => `${id} (${visibility})`).join(', ')}.`,
    });
  const found = joined[0] ?? named[0];
  if (found) return found;
  const near = didYouMean(
    name,
    channels.map((channel) => channel.name ?? ''),
    '#',
  );
  throw new CliError('not_found', `There is no channel #${name} that you can see.`, {
    hint: near ?? `A person is written @${name}, an agent ^${name}.`,
  });
}
