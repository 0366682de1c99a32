// Every field of every route that takes a body, each with values that are wrong whatever the field: the sample is right,
// so what is refused is the one thing that was changed.

import { routes, type Route, type RouteInput, type RouteName } from '@parley/protocol';
import { hubFor, makeOnce, onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { raw, whileTalking } from '../../kit/bystander.ts';

/** What is read where it is understood has tests of its own there. */
type Unparsed = { [N in RouteName]: (typeof routes)[N] extends { unparsed: true } ? N : never }[RouteName];
type Bodies = {
  [N in Exclude<RouteName, Unparsed> as RouteInput<N> extends { body: unknown } ? N : never]: RouteInput<N> extends { body: infer B }
    ? B
    : never;
};
type WithBody = keyof Bodies;

const id = {
  member: '018f0000-0000-7000-8000-000000000000',
  message: 'msg_00000000000000000000000000',
  conversation: 'con_00000000000000000000000000',
  attachment: 'att_00000000000000000000000000',
  task: 'tsk_00000000000000000000000000',
  obligation: 'obl_00000000000000000000000000',
  checkpoint: 'chk_00000000000000000000000000',
  role: 'rol_00000000000000000000000000',
};
/** One right body for each; a route without one does not compile. */
const samples: Bodies = {
  inspectLink: { secret: 'pl_x' },
  openSession: { secret: 'pl_x', handle: 'new', displayName: 'New' },
  addMember: { kind: 'human', handle: 'new', displayName: 'New', about: 'me', role: 'member', ownerId: id.member, managerId: id.member },
  editMember: { displayName: 'New', about: 'me', handle: 'new', role: 'member', ownerId: id.member, managerId: null },
  setDnd: { until: 1 },
  addRole: { handle: 'new', about: 'x', holderIds: [id.member] },
  editRole: { handle: 'new', about: 'x', holderIds: [id.member] },
  createInvitation: { role: 'member', conversationId: id.conversation, expiresInSeconds: 60 },
  createSignInLink: { memberId: id.member },
  createToken: { kind: 'person', memberId: id.member, label: 'x', expiresInSeconds: 60, source: 'x' },
  createChannel: { name: 'new', topic: 'x', visibility: 'public', floor: 'polite', history: 'all' },
  openDm: { memberIds: [id.member] },
  editConversation: { name: 'new', topic: 'x', visibility: 'public', floor: 'polite', history: 'all', archived: true },
  addToConversation: { memberId: id.member },
  askToLeave: { memberId: id.member },
  sendSignal: { signal: 'seen', lease: 1 },
  setNotify: { level: 'all' },
  markRead: { seq: 1 },
  seeMailbox: { upTo: 1 },
  setDigest: { everyMs: 3_600_000 },
  postMessage: {
    body: 'x',
    replyTo: id.message,
    attachmentIds: [id.attachment],
    task: { id: id.task, lease: 1, kind: 'answer' },
    outputs: [id.conversation],
    obligation: { blocks: 'halted', defaultAction: 'x', delegateId: id.member, intervalMs: 60_000 },
    urgent: true,
    confirmAll: 11,
  },
  previewMessage: { body: 'x', replyTo: id.message, urgent: true },
  assignMessage: { memberId: id.member, urgent: true },
  declineTask: { lease: 1, outcome: 'blocked', reason: 'x' },
  redirectTask: { instruction: 'x', agentId: id.member },
  putIdentity: {
    version: 0,
    profile: { handle: 'new', displayName: 'New', about: 'me' },
    instructions: 'x',
    memory: 'x',
    tools: ['mcp://x'],
    brain: { kind: 'remote' },
    mode: 'strict',
    manager: null,
  },
  restoreIdentity: { version: 0 },
  setSecret: { value: 'x' },
  editAgent: { brain: 'remote', maxConcurrent: 1, asleepUntil: null, mode: 'strict' },
  setContactRule: { permission: 'allow', requiresApproval: true },
  editMessage: { body: 'x', version: 1, confirmAll: 11 },
  signalObligation: { signal: 'working' },
  closeCheckpoint: { choice: 'taken' },
  putProvoke: { version: 0, object: { id: 'x', match: { type: 'a.b.c' }, agent: 'x' } },
  enableProvoke: { version: 0, enabled: true },
  testTriggers: {
    events: [{ pap_version: '0.2', id: 'x', type: 'a.b.c', source: 'x', time: '2026-01-01T00:00:00Z', data: {} }],
    triggers: ['x'],
    trigger: { id: 'x', match: { type: 'a.b.c' }, agent: 'x' },
    manifest: { id: 'x', risk_level: 'low' },
  },
  bindSecret: { hosts: ['a.example'] },
  setToolServer: { command: 'x', args: ['x'], env: { A: 'x' }, cwd: 'x', timeoutMs: 1000, maxOutput: 1000, tools: { x: 'read' } },
  acceptTools: { tool: 'x' },
  answerCheckpoint: { kind: 'different', text: 'x' },
  addPeerPerson: { card: 'x' },
  verifyPeerPerson: { accepts: 'x', keeps: true },
  blockPeerPerson: { isOn: true },
  setPeerField: { field: 'area', value: 'x' },
  noticePeerZone: { zone: 'x' },
  setPeerTier: { field: 'area', tier: 'ask_first', address: 'x' },
  addPeerCalendar: { kind: 'file', name: 'x', ics: 'x' },
  setPeerModel: { isOn: true },
  addPeerAction: { name: 'x', kind: 'webhook', run: 'x', undo: 'x', secret: 'x'.repeat(16) },
  openNegotiation: { with: 'x', intent: 'x', needs: [] },
  changeNegotiation: { intent: 'x', needs: [] },
  forkNegotiation: { into: ['x'], rest: 'x' },
  transferCoordination: { to: 'agent:bob@localhost' },
  steerNegotiation: { act: 'decline' },
  inviteOutside: { name: 'x', intent: 'x', share: ['area'] },
  replyForOutside: { kind: 'works', option: 1, text: 'x' },
  openRequestLink: { opener: 'x'.repeat(22) },
  answerRequestLink: { opener: 'x'.repeat(22), sealed: 'x'.repeat(40) },
  editPeerMemory: { field: 'area', value: 'x' },
  createSpace: { name: 'x', people: [{ with: 'x', may: 'full-write' }] },
  writeSpace: { writes: [{ field: 'hotel', value: 'x' }] },
  watchSpace: { fields: ['hotel'] },
  linkSpace: { conversationId: id.conversation },
  openSpaceLink: { field: 'plan', at: 0, server: 'files' },
};

/** Written as JSON, because some of them cannot be said otherwise. */
const wrong = [
  '"a\\u0000b"',
  '"\\u202eabc\\n\\u0007"',
  '{}',
  '{"a":1}',
  '[[]]',
  '[null]',
  '-1',
  '0.5',
  '1e400',
  '-1e400',
  '9007199254740993',
  `"${'x'.repeat(200_000)}"`,
];
/** Any JSON is right for one, and a long text for the other. */
const anything = new Set(['value', 'ics']);
/** Hashed whatever it is; a link that is not there says so. */
const opaque = new Set(['secret']);

onBothEngines('fields with the wrong thing in them', (engine) => {
  const kit = hubFor(engine);
  const ann = makeOnce(() => kit.person('ann'));
  const bob = makeOnce(() => kit.person('bob', 'owner'));

  const ask = (name: RouteName, body: string) => {
    const route: Route = routes[name];
    const path = route.path
      .replace(':threadId', 'thr_00000000000000000000000000')
      .replace(':spaceId', 'spc_00000000000000000000000000')
      .replace(':requestLinkId', 'x'.repeat(22))
      .replaceAll(/:(\w+?)Id/g, (_, kind: keyof typeof id) => id[kind])
      .replace(':version', '1')
      .replace(':name', 'files')
      .replace(':kind', 'trigger')
      .replace(':id', 'x')
      .replace(':target', '*')
      .replace(':address', 'agent:x@y');
    const headers = { authorization: `Bearer ${bob.token}`, host: new URL(kit.url).host, 'content-type': 'application/json' };
    return raw(kit.url, { method: route.method, path: `/api/v1${path}`, headers, body });
  };

  test.each(Object.keys(samples) as WithBody[])('[SYS-4] %s: each field is refused by name, and nothing is stored', async (name) => {
    const sample = samples[name] as Record<string, unknown>;
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const field of Object.keys(sample).filter((one) => !anything.has(one))) {
        for (const value of wrong) {
          const text = JSON.stringify({ ...sample, [field]: '@' }).replace('"@"', () => value);
          const answer = await ask(name, text);
          const said = `${field} ${value.slice(0, 40)}`;
          const named = answer.body.error!.problems?.some((problem) => problem.field.split('.')[0] === field);
          const spent = opaque.has(field) && answer.status === 410;
          expect([answer.status, answer.body.error!.code, named], said).toEqual(
            spent ? [410, 'link_spent', undefined] : [400, 'invalid_request', true],
          );
        }
      }
      const half = await ask(name, JSON.stringify({ ...sample, [Object.keys(sample)[0]!]: '@' }).replace('@', '\\ud800'));
      expect(half).toMatchObject({
        status: 400,
        body: { error: { code: 'malformed_json', message: expect.stringContaining('surrogate') } },
      });
      const unknown = await ask(name, JSON.stringify({ ...sample, surplus: 1 }));
      const message = expect.stringMatching(/^is not a field here/) as string;
      expect(unknown).toMatchObject({ status: 400, body: { error: { problems: [{ field: 'surplus', message }] } } });
    });
  });

  test('[SYS-4] every route that takes a body was asked', () => {
    const takers = Object.entries(routes as Record<string, Route>)
      .filter(([, route]) => route.body && !route.unparsed)
      .map(([name]) => name);
    expect(Object.keys(samples).toSorted()).toEqual(takers.toSorted());
  });
});
