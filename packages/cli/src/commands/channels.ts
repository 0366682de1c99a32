import { everyConversation, everyMember } from '@parley/sdk/pages';
import { randomUUID } from 'node:crypto';
import { type EditConversation, type MyConversation, ParleyError, digestRange } from '@parley/protocol';
import { type HubAccess, needsMember, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { didYouMean, me } from '../hints.ts';
import { table } from '../output.ts';
import type { CommandContext, Settings } from '../settings.ts';
import { findMember, sigilHandle } from './members.ts';
import { seconds } from './tokens.ts';

/** Finds a channel by its name or ID. */
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
  const suggestion = didYouMean(
    name,
    channels.map((channel) => channel.name ?? ''),
    '#',
  );
  throw new CliError('not_found', `There is no channel #${name} that you can see.`, {
    hint: suggestion ?? `A person is written @${name}, an agent ^${name}.`,
  });
}

const withMember = <T>(settings: Settings, work: (access: HubAccess) => Promise<T>): Promise<T> => {
  needsMember(settings, 'Channels belong to members, and the operator of the hub is not one.');
  return withAccess(settings, work);
};

const words = ({ visibility, floor, archivedAt, joined }: MyConversation): string[] => [
  visibility,
  floor,
  archivedAt !== null ? 'archived' : joined ? 'joined' : '',
];

export async function listChannels({ settings, output }: CommandContext, options: { all?: true }): Promise<void> {
  const { conversations } = await withMember(settings, (access) => everyConversation(access));
  const channels = conversations.filter(({ kind, archivedAt }) => kind === 'channel' && (options.all || archivedAt === null));
  const rows = channels.map((channel) => [`#${channel.name}`, ...words(channel), channel.id, channel.topic]);
  const none = `There is no channel that you can see. \`${me} channel add <name>\` makes one.`;
  output.result({ channels }, rows.length === 0 ? none : table(['CHANNEL', 'VISIBILITY', 'FLOOR', 'STATE', 'ID', 'TOPIC'], rows));
}

export async function showChannel({ settings, output }: CommandContext, typed: string): Promise<void> {
  const { channel, members } = await withMember(settings, async (access) => {
    const params = { conversationId: (await findChannel(access, typed)).id };
    const [found, { memberships }, everyone] = await Promise.all([
      access.call('getConversation', { params }),
      access.call('listMemberships', { params }),
      everyMember(access),
    ]);
    const byId = new Map(everyone.members.map((member) => [member.id, member]));
    return { channel: found, members: memberships.flatMap(({ memberId, role }) => ({ ...byId.get(memberId)!, channelRole: role })) };
  });
  const { name, topic, history, id } = channel;
  const head = [`#${name} (${[...words(channel).filter(Boolean), `history: ${history}`, id].join(', ')})`, ...(topic ? [topic] : [])];
  const rows = members.map((member) => [sigilHandle(member), member.displayName, member.channelRole]);
  output.result({ channel, members }, [...head, '', table(['HANDLE', 'NAME', 'ROLE'], rows)].join('\n'));
}

interface ChannelOptions extends Pick<EditConversation, 'topic' | 'visibility' | 'floor' | 'history'> {
  name?: string;
}

export async function addChannel({ settings, output }: CommandContext, typed: string, options: ChannelOptions): Promise<void> {
  const body = { ...options, name: typed.replace(/^#/, '') };
  const channel = await withMember(settings, async (access) => {
    try {
      return await access.call('createChannel', { body }, { idempotencyKey: randomUUID() });
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'name_taken') throw error;
      throw await nameTaken(access, body.name, error);
    }
  });
  output.result(channel, `Added #${channel.name} (${channel.id}).`);
  output.note(`  Bring members in: ${me} channel invite ${channel.name} <handle>`);
}

async function nameTaken(access: HubAccess, name: string, cause: ParleyError): Promise<CliError> {
  const found = await findChannel(access, name);
  const isIn = 'joined' in found && found.joined;
  return new CliError('failed', `There is a channel #${name} already${isIn ? ', and you are in it' : ''}.`, {
    code: cause.code,
    cause,
    hint: isIn
      ? `Choose another name, or see it with: ${me} channel show ${name}`
      : `Choose another name, or join it: ${me} channel join ${name}`,
  });
}

async function edit({ settings, output }: CommandContext, typed: string, body: EditConversation, done: string): Promise<void> {
  const channel = await withMember(settings, async (access) => {
    const { id: conversationId } = await findChannel(access, typed);
    return access.call('editConversation', { params: { conversationId }, body });
  });
  output.result(channel, `${done} #${channel.name}.`);
}

export async function editChannel(context: CommandContext, typed: string, { name, ...options }: ChannelOptions): Promise<void> {
  const change = { ...options, ...(name === undefined ? {} : { name: name.replace(/^#/, '') }) };
  if (Object.keys(change).length === 0)
    throw new CliError('usage', 'There is nothing to change.', { hint: `\`${me} channel edit --help\` lists what can be result.` });
  await edit(context, typed, change, 'Changed');
}

export const archiveChannel = (context: CommandContext, typed: string): Promise<void> =>
  edit(context, typed, { archived: true }, 'Archived');
export const reopenChannel = (context: CommandContext, typed: string): Promise<void> =>
  edit(context, typed, { archived: false }, 'Reopened');

export const joinChannel = (context: CommandContext, typed: string): Promise<void> => takePart(context, typed, true);
export const leaveChannel = (context: CommandContext, typed: string): Promise<void> => takePart(context, typed, false);

async function takePart({ settings, output }: CommandContext, typed: string, joins: boolean): Promise<void> {
  const conversationId = await withMember(settings, async (access) => {
    const { id } = await findChannel(access, typed);
    await access.call(joins ? 'joinConversation' : 'leaveConversation', { params: { conversationId: id } });
    return id;
  });
  output.result(
    { conversationId, joined: joins },
    `${joins ? 'Joined' : 'Left'} ${typed.startsWith('con_') ? typed : `#${typed.replace(/^#/, '')}`}.`,
  );
}

export const inviteMembers = (context: CommandContext, typed: string, handles: string[]): Promise<void> =>
  changeMembers(context, typed, handles, true);
export const removeMembers = (context: CommandContext, typed: string, handles: string[]): Promise<void> =>
  changeMembers(context, typed, handles, false);

/** Changes members one after the other: the first refusal ends the command. */
async function changeMembers({ settings, output }: CommandContext, typed: string, handles: string[], joins: boolean): Promise<void> {
  const result = await withMember(settings, async (access) => {
    const { id: conversationId } = await findChannel(access, typed);
    const members = [];
    for (const handle of handles) members.push(await findMember(access, handle));
    for (const { id: memberId } of members)
      await (joins
        ? access.call('addToConversation', { params: { conversationId }, body: { memberId } })
        : access.call('removeFromConversation', { params: { conversationId, memberId } }));
    return { conversationId, members: members.map((member) => sigilHandle(member)) };
  });
  const channel = typed.startsWith('con_') ? typed : `#${typed.replace(/^#/, '')}`;
  output.result(
    result,
    `${result.members.join(', ')} ${result.members.length === 1 ? 'is' : 'are'} ${joins ? 'in' : 'no longer in'} ${channel}.`,
  );
}

export async function digest({ settings, output }: CommandContext, agent: string, channel: string, every: string): Promise<void> {
  const everyMs = every === 'off' ? null : seconds(every, 'every') * 1000;
  if (everyMs !== null && (everyMs < digestRange.least || everyMs > digestRange.most))
    throw new CliError('usage', `A digest comes every 5 minutes at most and every 7 days at least, not every ${every}.`);
  if (!channel.startsWith('con_'))
    needsMember(settings, 'The operator of the hub is in no channel: say which by its id (con_…), or act as a member.');
  const { setting, handle } = await withAccess(settings, async (access) => {
    const member = await findMember(access, agent, '^');
    const { id: conversationId } = await findChannel(access, channel);
    const params = { conversationId, memberId: member.id };
    return { setting: await access.call('setDigest', { params, body: { everyMs } }), handle: member.handle };
  });
  const text = everyMs === null ? `^${handle} gets no digest of ${channel}.` : `^${handle} gets a digest of ${channel} every ${every}.`;
  output.result(setting, text);
}
