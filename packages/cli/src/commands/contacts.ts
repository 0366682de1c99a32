import type { ContactMatrix, ContactPair, Contacts, Member } from '@parley/protocol';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../hints.ts';
import { table } from '../output.ts';
import type { CommandContext } from '../settings.ts';
import { findMember, handlesOf } from './members.ts';

async function findAgent(access: HubAccess, typed: string): Promise<Member> {
  const member = await findMember(access, typed);
  if (member.kind !== 'agent') throw new CliError('usage', `@${member.handle} is a person. Contact rules are for agents.`);
  return member;
}

/** `*`, or `all`, which no shell takes for the files that are there. */
const isEveryone = (typed: string): boolean => typed === '*' || typed === 'all';
const targetOf = async (access: HubAccess, typed: string): Promise<string> =>
  isEveryone(typed) ? '*' : (await findAgent(access, typed)).id;

async function namesOf(access: HubAccess): Promise<(id: string) => string> {
  const handles = await handlesOf(access);
  return (id) => (id === '*' ? 'all' : (handles.get(id) ?? '?'));
}

function inWords({ mode, rules, always }: Contacts, agent: string, called: (id: string) => string): string {
  const rows = [
    ...rules.map(({ target, permission, requiresApproval }) => [
      called(target),
      permission === 'deny' ? 'denied' : 'allowed',
      requiresApproval ? 'needs approval' : '',
    ]),
    ...always.map(({ targetId, approvedBy }) => [
      called(targetId),
      'approved for good',
      approvedBy === null ? '' : `by ${called(approvedBy)}`,
    ]),
  ];
  const head = `${agent} is ${mode}.`;
  return rows.length === 0
    ? `${head} It has no contact rules: it may contact every agent${mode === 'autonomous' ? '' : ', each time with approval'}.`
    : `${head}\n${table(['TARGET', 'RULE', 'APPROVAL'], rows)}`;
}

export async function listContacts({ settings, output }: CommandContext, typed: string): Promise<void> {
  await withAccess(settings, async (access) => {
    const agent = await findAgent(access, typed);
    const contacts = await access.call('getContacts', { params: { memberId: agent.id } });
    output.result(contacts, inWords(contacts, `^${agent.handle}`, await namesOf(access)));
  });
}

type Rule = { permission: 'allow' | 'deny'; requiresApproval: boolean };

/** `rule`: undefined takes the line away. */
async function setContact({ settings, output }: CommandContext, typed: string, other: string, rule?: Rule): Promise<void> {
  await withAccess(settings, async (access) => {
    const agent = await findAgent(access, typed);
    const params = { memberId: agent.id, target: await targetOf(access, other) };
    const contacts = rule ? await access.call('setContactRule', { params, body: rule }) : await access.call('clearContactRule', { params });
    output.result(contacts, inWords(contacts, `^${agent.handle}`, await namesOf(access)));
  });
}

export const allowContact = (context: CommandContext, typed: string, other: string, options: { needsApproval?: true }): Promise<void> =>
  setContact(context, typed, other, { permission: 'allow', requiresApproval: options.needsApproval === true });
export const denyContact = (context: CommandContext, typed: string, other: string): Promise<void> =>
  setContact(context, typed, other, { permission: 'deny', requiresApproval: false });
export const clearContact = (context: CommandContext, typed: string, other: string): Promise<void> => setContact(context, typed, other);

export async function setMode({ settings, output }: CommandContext, typed: string, mode: string): Promise<void> {
  const modes = ['autonomous', 'supervised', 'strict'] as const;
  const wanted = modes.find((one) => one === mode);
  if (wanted === undefined) throw new CliError('usage', `${mode} is not a behaviour mode. There are ${modes.join(', ')}.`);
  const agent = await withAccess(settings, async (access) => {
    const { id } = await findAgent(access, typed);
    return access.call('editAgent', { params: { memberId: id }, body: { mode: wanted } });
  });
  output.result(agent, `^${agent.handle} is ${agent.mode}.`);
}

const asked = { rule: 'needs approval: a contact rule requires it', mode: 'needs approval: its mode requires it' } as const;

function verdict({ allowed, approval, always }: ContactPair): string {
  if (!allowed) return 'no';
  return approval === null ? (always ? 'yes, approved for good' : 'yes') : asked[approval];
}

/** Every pair in a line of its own, with what decided it: a table of marks would not say why. */
export async function showMatrix({ settings, output }: CommandContext, typed: string | undefined): Promise<void> {
  await withAccess(settings, async (access) => {
    const from = typed === undefined ? {} : { from: (await findAgent(access, typed)).id };
    const matrix: ContactMatrix = await access.call('getContactMatrix', { query: { limit: 200, ...from } });
    const handle = new Map(matrix.agents.map((agent) => [agent.id, `^${agent.handle}`]));
    const rows = matrix.pairs.map((pair) => [handle.get(pair.from)!, handle.get(pair.to)!, verdict(pair), pair.why]);
    output.result(matrix, rows.length === 0 ? 'There are no two agents.' : table(['FROM', 'TO', 'MAY CONTACT', 'BECAUSE'], rows));
    if (matrix.more) output.note(`There are more agents. \`${me} contacts matrix <agent>\` shows one of them.`);
  });
}
