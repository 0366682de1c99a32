import { everyMember } from '@parley/sdk/pages';
import {
  agentStatusTexts,
  lastRunText,
  privateNotesText,
  timeText,
  unwokenText,
  wakingText,
  wokenAsksText,
  wokenBrainText,
} from '@parley/core';
import type { Agent, AgentIdentity, FolderProblem, Identity, Member } from '@parley/protocol';
import { toolLines } from '../agent-tools.ts';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { CliError, exitCodes } from '../exit.ts';
import { me } from '../hints.ts';
import { count, type Output, table } from '../output.ts';
import type { CommandContext } from '../settings.ts';
import { fileText } from '../input.ts';
import { findMember, handlesOf, plainHandle, sigilHandle } from './members.ts';

interface IdentityOptions {
  name?: string;
  about?: string;
  instructions?: string;
  memory?: string;
  tool?: string[];
  /** False: `--no-tools`. */
  tools: boolean;
  brain?: string;
  mode?: Identity['mode'];
  manager?: string;
}

const identityOf = async (access: HubAccess, handle: string): Promise<AgentIdentity> =>
  access.call('getIdentity', { params: { memberId: (await findMember(access, handle, '^')).id } });

const placed = ({ file, line, column, field, message }: FolderProblem): string =>
  `${file}${line === null ? '' : `:${line}:${column}`}  ${field}: ${message}`;

/** Of an agent that a manifest has brought: what wakes it, and what holds then. */
const wokenWords = ({ waking, mode }: Agent): string[] =>
  waking === null
    ? []
    : [
        `woken by ${wakingText(waking)}`,
        ...(unwokenText(waking) === undefined
          ? [`when an event wakes it: ${wokenBrainText(waking)}; asks first: ${wokenAsksText(waking, mode)}`]
          : []),
        ...(waking.lastRun ? [`last run ${lastRunText(waking.lastRun, timeText(waking.lastRun.at))}`] : []),
      ];

export async function showAgent({ settings, output }: CommandContext, handle: string): Promise<void> {
  const { shown, agent, servers } = await withAccess(settings, async (access) => {
    const shown = await identityOf(access, handle);
    const { agents } = await access.call('listAgents');
    const { servers } = shown.identity.tools.length === 0 ? { servers: [] } : await access.call('listToolServers');
    return { shown, agent: agents.find(({ id }) => id === shown.agentId), servers };
  });
  const { identity, version, source, problems } = shown;
  const { profile, brain, mode, manager, instructions, memory } = identity;
  const where = source === 'folder' ? `in agents/${profile.handle}/ of the data folder` : 'over the API';
  output.result(
    { ...shown, waking: agent?.waking ?? null },
    [
      `^${profile.handle}  ${profile.displayName}${profile.about === '' ? '' : `: ${profile.about}`}`,
      `version ${version}, edited ${where}`,
      `mode ${mode}, manager ${manager ?? 'nobody'}`,
      `brain ${JSON.stringify(brain)}`,
      ...toolLines(identity, servers),
      ...(agent ? wokenWords(agent) : []),
      ...(agent?.privateNotes ? [`private notes: ${privateNotesText.charAt(0).toLowerCase()}${privateNotesText.slice(1)}`] : []),
      ...[['instructions', instructions] as const, ['memory', memory] as const].flatMap(([title, text]) =>
        text === '' ? [] : ['', `${title}:`, text.trimEnd()],
      ),
    ].join('\n'),
  );
  if (problems.length > 0) output.note(['', 'Not in force, because its files have mistakes:', ...problems.map(placed)].join('\n'));
  for (const problem of agent ? problemsIn(agent) : []) output.note(problem);
  if (agent?.needsKey) output.note(`It needs the key ${agent.needsKey}. Set it with \`${me} secrets set ${agent.needsKey}\`.`);
}

const problemsIn = ({ problem, toolProblems = [] }: Agent): string[] => [...(problem ? [problem] : []), ...toolProblems];

function idleWords({ needsKey, problem, toolProblems = [], waking }: Agent): string {
  if (needsKey) return 'needs a key';
  if (problem) return 'cannot work';
  return unwokenText(waking) ?? (toolProblems.length > 0 ? 'lacks tools' : 'ready');
}

export async function listAgents({ settings, output }: CommandContext): Promise<void> {
  const { agents } = await withAccess(settings, (access) => access.call('listAgents'));
  const rows = agents.map((agent) => [
    `^${agent.handle}`,
    agent.displayName,
    agent.status === 'idle' ? idleWords(agent) : agentStatusTexts[agent.status],
    agent.brain,
    agent.mode,
    agent.waking === null ? '' : wakingText(agent.waking),
  ]);
  const none = `There are no agents yet. \`${me} member add <handle> --agent\` adds one.`;
  output.result({ agents }, rows.length === 0 ? none : table(['HANDLE', 'NAME', 'STATUS', 'BRAIN', 'MODE', 'WOKEN BY'], rows));
  for (const agent of agents) for (const problem of problemsIn(agent)) output.note(`^${agent.handle}: ${problem}`);
}

export async function editAgent({ settings, output }: CommandContext, handle: string, options: IdentityOptions): Promise<void> {
  const change = await changeIn(options);
  if (Object.keys(change).length === 0 && options.name === undefined && options.about === undefined)
    throw new CliError('usage', 'There is nothing to change: name at least one option.');
  const after = await withAccess(settings, async (access) => {
    const { agentId, version, identity } = await identityOf(access, handle);
    const profile = {
      ...identity.profile,
      ...(options.name === undefined ? {} : { displayName: options.name }),
      ...(options.about === undefined ? {} : { about: options.about }),
    };
    // Over the version that was read: who changed it in between is not overwritten.
    return access.call('putIdentity', { params: { memberId: agentId }, body: { ...identity, ...change, profile, version } });
  });
  output.result(after, `Changed ^${after.identity.profile.handle}: version ${after.version}.`);
}

async function changeIn(options: IdentityOptions): Promise<Partial<Identity>> {
  const { instructions, memory, tool, tools, brain, mode, manager } = options;
  return {
    ...(instructions === undefined ? {} : { instructions: await fileText(instructions) }),
    ...(memory === undefined ? {} : { memory: await fileText(memory) }),
    ...(tools ? {} : { tools: [] }),
    ...(tool === undefined ? {} : { tools: tool }),
    ...(brain === undefined ? {} : { brain: brainIn(brain) }),
    ...(mode === undefined ? {} : { mode }),
    ...(manager === undefined ? {} : { manager: manager === 'none' ? null : plainHandle(manager) }),
  };
}

function brainIn(text: string): Identity['brain'] {
  try {
    return JSON.parse(text) as Identity['brain'];
  } catch (error) {
    throw new CliError('usage', '--brain is not JSON.', { cause: error });
  }
}

export async function listVersions({ settings, output }: CommandContext, handle: string): Promise<void> {
  const { versions, names } = await withAccess(settings, async (access) => {
    const { id } = await findMember(access, handle, '^');
    const { members } = await everyMember(access);
    const found = await access.call('listIdentityVersions', { params: { memberId: id } });
    return { ...found, names: new Map(members.map((member) => [member.id, `@${member.handle}`])) };
  });
  const rows = versions.map(({ version, at, changedBy, identity }) => [
    String(version),
    new Date(at).toISOString(),
    changedBy === null ? 'operator or files' : (names.get(changedBy) ?? '?'),
    `${identity.mode}, ${identity.brain.kind}, ${count(identity.instructions.length, 'character')} of instructions`,
  ]);
  const none = 'Nobody has written it yet.';
  output.result({ versions }, rows.length === 0 ? none : table(['VERSION', 'AT', 'BY', 'IDENTITY'], rows));
}

export async function restoreVersion({ settings, output }: CommandContext, handle: string, typed: string): Promise<void> {
  const earlier = Number(typed);
  if (!Number.isSafeInteger(earlier) || earlier < 1) throw new CliError('usage', `${typed} is not the number of a version.`);
  const after = await withAccess(settings, async (access) => {
    const { agentId, version } = await identityOf(access, handle);
    return access.call('restoreIdentity', { params: { memberId: agentId, version: earlier }, body: { version } });
  });
  output.result(after, `^${after.identity.profile.handle} is as it was in version ${earlier}: version ${after.version}.`);
}

export async function checkFolders({ settings, output }: CommandContext): Promise<void> {
  const { folders } = await withAccess(settings, (access) => access.call('listAgentFolders'));
  const problems = folders.flatMap((folder) => folder.problems);
  const words =
    problems.length > 0
      ? problems.map(placed).join('\n')
      : folders.length === 0
        ? 'No agents are kept in folders.'
        : `${count(folders.length, 'folder')}: all is well.`;
  output.result({ folders }, words);
  if (problems.length > 0) process.exitCode = exitCodes.data.status;
}

async function findAgent(access: HubAccess, typed: string): Promise<Member> {
  const member = await findMember(access, typed, '^');
  if (member.kind !== 'agent') throw new CliError('usage', `@${member.handle} is a person. Members are blocked for an agent.`);
  return member;
}

export async function blockMember({ settings, output }: CommandContext, typed: string, other: string | undefined): Promise<void> {
  await withAccess(settings, async (access) => {
    const agent = await findAgent(access, typed);
    if (other === undefined) return listBlocks(access, agent, output);
    const member = await findMember(access, other);
    const block = await access.call('blockMember', { params: { memberId: agent.id, blockedId: member.id } });
    output.result(block, `${sigilHandle(member)} is blocked for ${sigilHandle(agent)}. Their words are stored and never wake it.`);
  });
}

async function listBlocks(access: HubAccess, agent: Member, output: Output): Promise<void> {
  const { blocks } = await access.call('listBlocks', { params: { memberId: agent.id } });
  const names = await handlesOf(access);
  const rows = blocks.map(({ memberId, blockedBy, at }) => [
    names.get(memberId) ?? '?',
    names.get(blockedBy ?? '') ?? '',
    new Date(at).toISOString(),
  ]);
  output.result({ blocks }, rows.length === 0 ? `Nobody is blocked for ${sigilHandle(agent)}.` : table(['BLOCKED', 'BY', 'SINCE'], rows));
}

export async function unblockMember({ settings, output }: CommandContext, typed: string, other: string): Promise<void> {
  await withAccess(settings, async (access) => {
    const agent = await findAgent(access, typed);
    const member = await findMember(access, other);
    await access.call('unblockMember', { params: { memberId: agent.id, blockedId: member.id } });
    output.result({}, `${sigilHandle(member)} is no longer blocked for ${sigilHandle(agent)}.`);
  });
}
