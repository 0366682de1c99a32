// What somebody may not see looks, to them, like what is not there: at every route that takes an id, for every kind of
// caller, the answers to an id that is nobody's and to one that is out of sight are the same to the letter.

import { type IdKind, newId, newMemberId, type Route, type RouteName, routes } from '@parley/protocol';
import { type Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PeerServiceKit } from '../../kit/peers.ts';
import { sent } from '../../kit/provoke.ts';

type Callers = 'member' | 'admin' | 'guest' | 'agent';
let kit: TestHub;
let general: string;
const callers = new Map<Callers, Person>();

interface Hidden {
  id: string;
  absent: string;
  from: readonly Callers[];
}
/** By the name of the parameter that takes it. */
const hidden = new Map<string, Hidden>();
let never = 0;
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 7 + ++never) % 256);
const absent = (kind: IdKind): string => newId(kind, 1_700_000_000_000, bytes);

/** As small as each takes it; a route that is new has to be added here. */
const bodies: Partial<Record<RouteName, object>> = {
  editMember: { about: 'x' },
  editRole: { about: 'x' },
  editConversation: { topic: 'x' },
  addToConversation: { memberId: '' },
  askToLeave: { memberId: '' },
  setNotify: { level: 'all' },
  markRead: { seq: 1 },
  postMessage: { body: 'x' },
  editMessage: { body: 'x' },
  assignMessage: { memberId: '' },
  sendSignal: { signal: 'seen' },
  previewMessage: { body: 'x' },
  declineTask: { reason: 'x' },
  redirectTask: { instruction: 'x' },
  seeMailbox: { upTo: 1 },
  setDigest: { everyMs: 3_600_000 },
  signalObligation: { signal: 'working' },
  closeCheckpoint: { choice: 'noted' },
  answerCheckpoint: { kind: 'confirm' },
  changeNegotiation: { intent: 'x', needs: [] },
  forkNegotiation: { into: ['x'] },
  transferCoordination: { to: 'agent:bob@localhost' },
  steerNegotiation: { act: 'decline' },
  replyForOutside: { kind: 'cannot' },
  writeSpace: { writes: [{ field: 'hotel', value: 'x' }] },
  watchSpace: { fields: [] },
  linkSpace: { conversationId: null },
  openSpaceLink: { field: 'plan' },
  editAgent: { maxConcurrent: 2 },
  putIdentity: {
    version: 1,
    profile: { handle: 'x', displayName: 'x', about: '' },
    instructions: '',
    memory: '',
    tools: [],
    brain: { kind: 'remote' },
    mode: 'supervised',
    manager: null,
  },
  restoreIdentity: { version: 1 },
  setContactRule: { permission: 'allow' },
  // Over a version that was read. Whoever creates one finds out that its id is taken: ids are one space for the workspace.
  putProvoke: { version: 1, object: {} },
  enableProvoke: { version: 1, enabled: false },
};
const queries: Partial<Record<RouteName, object>> = { removeProvoke: { version: 1 } };
/**
 * Their ids are names that the caller chooses, or no ids at all. An address is one in the caller's own peer. The id of a request link
 * opens it for anybody who has it; `request-links.test.ts` compares guessed and revoked ones.
 */
const named = new Set(['name', 'source', 'kind', 'emoji', 'version', 'target', 'address', 'requestLinkId']);

beforeAll(async () => {
  kit = await startTestHub('sqlite', { peers: new PeerServiceKit() }, { PARLEY_LOG: 'silent' });
  general = await kit.general();
  const ann = await kit.person('ann');
  const agent = await kit.agent('HIDDEN', ann);
  callers.set('member', await kit.person('eve'));
  callers.set('admin', await kit.person('ada', 'admin'));
  callers.set('guest', await kit.person('gus', 'guest'));
  callers.set('agent', await kit.agent('SPY', callers.get('member')));
  const { id: room } = await ann.call('createChannel', { body: { name: 'hidden', visibility: 'private' } });
  await ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: agent.id } });
  const message = await ann.call('postMessage', {
    params: { conversationId: room },
    body: { body: '^HIDDEN hello', obligation: { blocks: 'degraded', defaultAction: 'wait' } },
  });
  const { tasks } = await ann.call('listTasks', { query: { conversationId: room, state: 'all' } });
  const { obligations } = await ann.call('listObligations', { query: { waiting: 'me' } });
  const token = await ann.call('createToken', { body: { kind: 'person', label: 'x' } });
  const link = await ann.call('createInvitation', { body: {} });
  const upload = await fetch(`${kit.url}/api/v1/attachments?name=a.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'text/plain' },
    body: 'x',
  });
  const put = (kind: 'manifest' | 'trigger', object: { id: string }) =>
    ann.call('putProvoke', { params: { kind, id: object.id }, body: { version: 0, object } });
  await put('manifest', { id: 'anns-manifest', risk_level: 'high' } as never);
  await put('trigger', { id: 'anns-trigger', agent: 'anns-manifest', match: { type: 'test.hidden.thing' } } as never);
  const event = (await ann.call('emitEvent', { body: sent({ type: 'test.hidden.thing' }) })) as { id: string };
  await kit.hub.kernel.runner.settled();
  const { invocations } = await ann.call('listInvocations', { query: {} });
  const { checkpoints } = await ann.call('listCheckpoints', { query: {} });
  const everyone: Callers[] = ['member', 'admin', 'guest', 'agent'];
  const notAdmin: Callers[] = ['member', 'guest', 'agent'];
  const hide = (name: string, id: string | undefined, none: string, from: readonly Callers[]): void => {
    expect(id, name).toBeDefined();
    hidden.set(name, { id: id!, absent: none, from });
  };
  hide('conversationId', room, absent('conversation'), everyone);
  hide('messageId', message.id, absent('message'), everyone);
  hide('taskId', tasks[0]?.id, absent('task'), everyone);
  hide('chainId', tasks[0]?.chainId, absent('chain'), everyone);
  hide('obligationId', obligations[0]?.id, absent('obligation'), everyone);
  const { id: attachmentId } = (await upload.json()) as { id: string };
  await ann.call('postMessage', { params: { conversationId: room }, body: { body: 'a file', attachmentIds: [attachmentId] } });
  hide('attachmentId', attachmentId, absent('attachment'), everyone);
  hide('tokenId', token.token.id, absent('token'), notAdmin);
  hide('linkId', link.id, absent('link'), notAdmin);
  hide('eventRef', event.id, absent('event'), notAdmin);
  hide('invocationId', invocations[0]?.id, absent('invocation'), notAdmin);
  hide('checkpointId', checkpoints[0]?.id, absent('checkpoint'), notAdmin);
  const { threadId } = await ann.call('openNegotiation', { body: { with: '@ada', intent: 'Lunch', needs: [] } });
  hide('threadId', threadId, `thr_${'0'.repeat(26)}`, everyone);
  const space = await ann.call('createSpace', { body: { name: 'Rome', people: [{ with: '@ada' }] } });
  hide('spaceId', space.id, `spc_${'0'.repeat(26)}`, everyone);
  hide('id', 'anns-trigger', 'nobodys-trigger', notAdmin);
  for (const name of ['memberId', 'blockedId']) hide(name, agent.id, newMemberId(1_700_000_000_000, bytes), ['guest', 'agent']);
});
afterAll(() => kit.stop());

const taking = (Object.entries(routes) as [RouteName, Route][]).flatMap(([name, { path }]) =>
  [...path.matchAll(/:(\w+)/g)].flatMap(([, param]) => (named.has(param!) ? [] : [[name, param!] as const])),
);

test.each(taking)('[SYS-11] %s: what is out of sight by its %s is not there', async (name, param) => {
  const secret = hidden.get(param);
  // A role is seen by everyone.
  if (param === 'roleId') return;
  expect(secret, `nothing is hidden for ${param}`).toBeDefined();
  const route: Route = routes[name];
  expect(route.body === undefined || name in bodies, `no body for ${name}`).toBe(true);
  for (const who of secret!.from) {
    const person = callers.get(who)!;
    const others: Record<string, string> = {
      conversationId: general,
      memberId: person.id,
      blockedId: person.id,
      kind: 'trigger',
      emoji: '👍',
      version: '1',
      target: '*',
    };
    const answers = [];
    for (const id of [secret!.absent, secret!.id]) {
      const params = { ...others, [param]: id };
      const raw = bodies[name] as Record<string, unknown> | undefined;
      const body = raw && Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, value === '' ? person.id : value]));
      const asked = await person.ask(name as 'getMessage', { params, query: queries[name], ...(body ? { body } : {}) } as never);
      answers.push([asked.status, JSON.parse(JSON.stringify(asked.body).replaceAll(id, '<id>')) as object]);
    }
    expect(answers[1], `${who}: ${JSON.stringify(answers)}`).toEqual(answers[0]);
    expect(JSON.stringify(answers[0]), `${who} ${name}`).not.toContain('invalid_request');
    expect(answers[0]![0], `${who} ${name} ${JSON.stringify(answers[0])}`).not.toBe(500);
  }
});

/** Ids that are no part of a path. */
const elsewhere: [RouteName, string, Callers, (id: string) => object][] = [
  ['openDm', 'memberId', 'guest', (id) => ({ body: { memberIds: [id] } })],
  ['createToken', 'memberId', 'guest', (id) => ({ body: { kind: 'agent', memberId: id, label: 'x' } })],
  ['createSignInLink', 'memberId', 'guest', (id) => ({ body: { memberId: id } })],
  ['addMember', 'memberId', 'guest', (id) => ({ body: { kind: 'agent', handle: 'x1', displayName: 'x', ownerId: id } })],
  ['createInvitation', 'conversationId', 'member', (id) => ({ body: { conversationId: id } })],
  ['postMessage', 'messageId', 'member', (id) => ({ params: { conversationId: general }, body: { body: 'x', replyTo: id } })],
  ['postMessage', 'attachmentId', 'member', (id) => ({ params: { conversationId: general }, body: { body: 'x', attachmentIds: [id] } })],
  ['previewMessage', 'messageId', 'member', (id) => ({ params: { conversationId: general }, body: { body: 'x', replyTo: id } })],
  ['listMessages', 'messageId', 'member', (id) => ({ params: { conversationId: general }, query: { around: id } })],
  ['search', 'conversationId', 'member', (id) => ({ query: { q: 'x', conversationId: id } })],
  ['listTasks', 'conversationId', 'member', (id) => ({ query: { conversationId: id } })],
  ['listChains', 'conversationId', 'member', (id) => ({ query: { conversationId: id } })],
  ['listNotices', 'conversationId', 'member', (id) => ({ query: { conversationId: id } })],
  ['listInvocations', 'eventRef', 'member', (id) => ({ query: { event: id } })],
  ['listInvocations', 'id', 'member', (id) => ({ query: { trigger: id } })],
  ['getContactMatrix', 'memberId', 'guest', (id) => ({ query: { from: id } })],
  ['putProvoke', 'id', 'member', (id) => ({ params: { kind: 'trigger', id }, body: { version: 0, object: { id, wrong: true } } })],
  ['enableProvoke', 'id', 'member', (id) => ({ params: { kind: 'trigger', id }, body: { version: 0, enabled: true } })],
  ['removeProvoke', 'id', 'member', (id) => ({ params: { kind: 'trigger', id }, query: { version: 0 } })],
  ['testTriggers', 'id', 'member', (id) => ({ body: { trigger: id, events: [sent({ type: 'test.hidden.thing', id: 'same' })] } })],
];

test.each(elsewhere)('[SYS-11] %s: a %s that is out of sight of a %s is not there', async (name, param, who, input) => {
  const { id, absent: none } = hidden.get(param)!;
  const person = callers.get(who)!;
  const answer = async (one: string) => {
    const { status, body } = await person.ask(name as 'getMessage', input(one) as never);
    return [status, JSON.parse(JSON.stringify(body).replaceAll(one, '<id>')) as object];
  };
  expect(await answer(id)).toEqual(await answer(none));
});
