import { describe, expect, test } from 'vitest';
import {
  type AccessVerdict,
  accessTable,
  type Action,
  type Actor,
  isAgentDm,
  may,
  type MemberFacts,
  type Relation,
  relationsToConversation,
  relationsToMember,
} from './access.ts';

const person = (role: 'owner' | 'admin' | 'member' | 'guest', extra: Partial<Extract<Actor, { type: 'member' }>> = {}): Actor => ({
  type: 'member',
  id: 'me',
  kind: 'human',
  role,
  active: true,
  tokenKind: 'person',
  ...extra,
});
const agent: Actor = { type: 'member', id: 'bot', kind: 'agent', role: 'member', active: true, tokenKind: 'agent' };
const everyRelation: Relation[] = [
  'self',
  'owner',
  'manager',
  'below',
  'acquainted',
  'author',
  'joined',
  'moderator',
  'open',
  'requester',
  'overseer',
];
const actions = Object.keys(accessTable) as Action[];

/**
 * The table once more, written apart from the code: for each action and each column (owner, admin, member, guest,
 * agent) `+` anyone, `-` nobody, or the relations that open it. A change of access has to be made twice, on purpose.
 */
// prettier-ignore
const expected: Record<Action, [string, string, string, string, string]> = {
  'workspace.enter':      ['+', '+', '+', '+', '+'],
  'workspace.browse':     ['+', '+', '+', '-', '-'],
  'member.see':           ['+', '+', '+', 'self acquainted', 'self acquainted'],
  'member.add_person':    ['+', '+', '-', '-', '-'],
  'member.add_agent':     ['+', '+', '+', '-', '-'],
  'member.invite':        ['+', '+', '+', '-', '-'],
  'member.invite_admin':  ['+', '+', '-', '-', '-'],
  'member.edit':          ['+', 'self below', 'self owner manager', 'self', '-'],
  'member.rename':        ['+', 'self below', 'self owner', '-', '-'],
  'handle.reuse':         ['+', '+', '-', '-', '-'],
  'member.set_role':      ['+', 'below', '-', '-', '-'],
  'member.reassign':      ['+', 'below', 'owner', '-', '-'],
  'member.deactivate':    ['+', 'below', 'owner', '-', '-'],
  'member.reactivate':    ['+', 'below', '-', '-', '-'],
  'member.erase':         ['+', 'below', 'self', 'self', '-'],
  'member.export':        ['+', 'self', 'self', 'self', '-'],
  'role.see':             ['+', '+', '+', '+', '-'],
  'role.manage':          ['+', '+', '-', '-', '-'],
  'token.create_person':  ['self', 'self', 'self', '-', '-'],
  'token.create_agent':   ['+', '+', 'owner', '-', '-'],
  'token.create_machine': ['+', '+', '-', '-', '-'],
  'token.revoke':         ['+', 'self owner below', 'self owner', 'self', '-'],
  'link.sign_in':         ['+', 'self below', 'self', 'self', '-'],
  'link.revoke':          ['+', '+', 'author', '-', '-'],
  'channel.create':       ['+', '+', '+', '-', '-'],
  'dm.open':              ['+', '+', '+', 'acquainted', '-'],
  'conversation.read':    ['joined open overseer', 'joined open overseer', 'joined open overseer', 'joined', 'joined'],
  'conversation.edit':    ['moderator open', 'moderator open', 'moderator', '-', '-'],
  'conversation.join':    ['open', 'open', 'open', '-', '-'],
  'conversation.leave':   ['joined', 'joined', 'joined', 'joined', '-'],
  'conversation.add':     ['joined open', 'joined open', 'joined', '-', '-'],
  'conversation.remove':  ['moderator open owner', 'moderator open owner', 'moderator owner', '-', '-'],
  'conversation.dismiss': ['joined', 'joined', 'joined', 'joined', '-'],
  'message.post':         ['joined', 'joined', 'joined', 'joined', '-'],
  'message.edit':         ['author', 'author', 'author', 'author', '-'],
  'message.delete':       ['author moderator open', 'author moderator open', 'author moderator', 'author', '-'],
  'message.assign':       ['joined', 'joined', 'joined', 'joined', '-'],
  'message.react':        ['joined', 'joined', 'joined', 'joined', 'joined'],
  'attachment.upload':    ['+', '+', '+', '+', '-'],
  'peer.use':             ['self', 'self', 'self', 'self', '-'],
  'stream.follow':        ['+', '+', '+', '+', '-'],
  'task.stop':            ['requester owner moderator', 'requester owner moderator', 'requester owner moderator', 'requester', '-'],
  'checkpoint.close':     ['+', '+', 'self', 'self', '-'],
  'agent.edit':           ['+', '+', 'owner', '-', '-'],
  'agent.reach':          ['+', '+', '-', '-', '-'],
  'identity.see':         ['+', '+', 'owner', '-', '-'],
  'secret.manage':        ['+', '+', '-', '-', '-'],
  'secret.bind':          ['+', '-', '-', '-', '-'],
  'contact.see':          ['+', '+', '+', '-', '-'],
  'contact.rule':         ['+', '+', 'owner', '-', '-'],
  'digest.set':           ['owner moderator', 'owner moderator', 'owner moderator', '-', 'self'],
  'event.emit':           ['+', '+', '+', '-', '+'],
  'trigger.create':       ['+', '+', '+', '-', '-'],
  'trigger.edit':         ['+', '+', 'owner', '-', '-'],
  'trigger.see':          ['+', '+', 'owner', '-', '-'],
  'source.manage':        ['+', '+', '-', '-', '-'],
  'tool.see':             ['+', '+', '+', '-', '-'],
  'tool.manage':          ['+', '+', '-', '-', '-'],
  'tool.run_program':     ['+', '-', '-', '-', '-'],
  'audit.see':            ['+', '+', '-', '-', '-'],
  'workspace.halt':       ['+', '+', '+', '-', '-'],
  'workspace.release':    ['+', '+', '-', '-', '-'],
  'demo.play':            ['+', '+', '-', '-', '-'],
};
const columns: [string, Actor][] = [
  ['owner', person('owner')],
  ['admin', person('admin')],
  ['member', person('member')],
  ['guest', person('guest')],
  ['agent', agent],
];

describe('[SYS-11] the access table', () => {
  test.each(actions)('%s', (action) => {
    for (const [i, [column, actor]] of columns.entries()) {
      const cell = expected[action][i]!;
      expect(may(action, actor).allowed, `${action} for ${column}, unrelated`).toBe(cell === '+');
      for (const relation of everyRelation) {
        const opens = cell === '+' || cell.split(' ').includes(relation);
        expect(may(action, actor, [relation]).allowed, `${action} for ${column} who is ${relation}`).toBe(opens);
      }
    }
  });

  test('lists the same actions as the expectation', () => {
    expect(Object.keys(expected)).toEqual(actions);
  });
});

describe('[SYS-11] who is never let through', () => {
  const reason = (access: AccessVerdict) => (access.allowed ? 'allowed' : access.reason);
  test.each(actions)('%s: deactivated, wrong kind of token, source and bridge', (action) => {
    expect(reason(may(action, person('owner', { active: false }), everyRelation))).toBe('deactivated');
    expect(reason(may(action, person('owner', { tokenKind: 'agent' }), everyRelation))).toBe('token_kind');
    expect(reason(may(action, { ...agent, tokenKind: 'person' }, everyRelation))).toBe('token_kind');
    // A monitor's token says that something was crossed, and does nothing else.
    expect(reason(may(action, person('owner', { tokenKind: 'source' }), everyRelation))).toBe(
      action === 'event.emit' ? 'allowed' : 'token_kind',
    );
    expect(reason(may(action, person('owner', { tokenKind: 'bridge' }), everyRelation))).toBe('token_kind');
  });

  test.each(actions)('%s: a webhook may only report events', (action) => {
    expect(may(action, { type: 'webhook', sourceId: 'prom' }, everyRelation).allowed).toBe(action === 'event.emit');
  });

  test('a refusal says which kind it is', () => {
    expect(reason(may('channel.create', agent))).toBe('agents_may_not');
    expect(reason(may('channel.create', person('guest')))).toBe('role_may_not');
    expect(reason(may('message.edit', person('owner')))).toBe('not_related');
  });

  test('an agent whose record says owner is still an agent', () => {
    expect(may('member.add_person', { ...agent, role: 'owner' }).allowed).toBe(false);
  });
});

describe('[SYS-11] relations', () => {
  const member = (over: Partial<MemberFacts>): MemberFacts => ({
    id: 'other',
    kind: 'human',
    role: 'member',
    ownerId: null,
    managerId: null,
    ...over,
  });

  test.each<[string, Partial<MemberFacts>, Parameters<typeof relationsToMember>[2], Relation[]]>([
    ['oneself', { id: 'me' }, {}, ['self', 'below']],
    ['one’s agent', { kind: 'agent', ownerId: 'me' }, {}, ['owner', 'below']],
    ['a person whose owner field is set is not owned', { kind: 'human', ownerId: 'me' }, {}, ['below']],
    ['a report', { managerId: 'me' }, {}, ['manager', 'below']],
    ['a workspace owner is not below', { role: 'owner' }, {}, []],
    ['nor is who would become one', {}, { newRole: 'owner' }, []],
    ['a stranger in the same channel', {}, { acquainted: true }, ['below', 'acquainted']],
  ])('%s', (_, over, given, relations) => {
    expect(relationsToMember(person('member'), member(over), given)).toEqual(relations);
  });

  const channel = { kind: 'channel', visibility: 'public' } as const;
  const hidden = { kind: 'channel', visibility: 'private' } as const;
  const dm = { kind: 'dm', visibility: 'private' } as const;
  const bots = [member({ id: 'a', kind: 'agent', ownerId: 'x' }), member({ id: 'b', kind: 'agent', ownerId: 'me' })];

  test.each<
    [string, Actor, Parameters<typeof relationsToConversation>[1], 'moderator' | 'participant' | undefined, MemberFacts[], Relation[]]
  >([
    ['a public channel one is not in', person('member'), channel, undefined, [], ['open']],
    ['a public channel one is in', person('member'), channel, 'participant', [], ['joined', 'open']],
    ['a private channel one is not in, even for the owner', person('owner'), hidden, undefined, [], []],
    ['an owner in a private channel moderates it', person('owner'), hidden, 'participant', [], ['joined', 'moderator']],
    ['but nobody moderates a DM', person('owner'), dm, 'participant', [], ['joined']],
    ['a DM of agents: the owner of one', person('member'), dm, undefined, bots, ['overseer']],
    ['a DM of agents: an admin', person('admin'), dm, undefined, [bots[0]!, bots[0]!], ['overseer']],
    ['a DM of agents: a member who has nothing to do with them', person('member'), dm, undefined, [bots[0]!, bots[0]!], []],
    ['a DM of a person and an agent is theirs alone', person('owner'), dm, undefined, [member({}), bots[1]!], []],
    ['a DM is never open', person('member'), { kind: 'dm', visibility: 'public' }, undefined, [], []],
  ])('%s', (_, actor, conversation, role, members, relations) => {
    expect(relationsToConversation(actor, conversation, role && { role }, members)).toEqual(relations);
  });

  test('a DM of agents has two of them and nobody else', () => {
    expect(isAgentDm([])).toBe(false);
    expect(isAgentDm([{ kind: 'agent' }])).toBe(false);
    expect(isAgentDm([{ kind: 'agent' }, { kind: 'agent' }])).toBe(true);
    expect(isAgentDm([{ kind: 'agent' }, { kind: 'human' }])).toBe(false);
  });
});
