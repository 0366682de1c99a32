// What agents try: everything they must not, and, so that there is something to spoil, their work.

import type { Command } from '../../../src/engine/command.ts';
import type { Someone } from '../bare.ts';
import type { ModelTask } from '../judges/floor-moves.ts';
import { attends } from './attention-agents.ts';
import { contacts } from './contacts.ts';
import { type Play, say, type Scene, type Try } from './scene.ts';

const begin = (agent: Someone, task: ModelTask): Command => ({ type: 'task.begin', by: agent.by, taskId: task.id });
const seldom = ({ scene }: Try, commands: Command[]): Command[] => (scene.random.next() < 0.2 ? commands : []);

const steps = {
  ...attends,
  ...contacts,
  // There is much to look at before a mark is refused, and most steps are these.
  marksNowAndThen: (t: Try) => seldom(t, attends.marksAnything(t)),
  contactsNowAndThen: (t: Try) =>
    seldom(t, t.scene.random.next() < 0.5 ? contacts.contactsUnderAnyLease(t) : contacts.contactsInAnothersTask(t)),
  namesNoTask: (t: Try) => [say(t, undefined, { conversationId: t.scene.place() })],
  inAnothersTask: (t: Try) => [say(t, t.other)],
  afterTheEnd: (t: Try) => {
    const { ended } = t.scene.model;
    return [say(t, ended.length > 0 ? t.scene.random.pick(ended) : undefined, { conversationId: t.scene.place() })];
  },
  elsewhere: (t: Try) => [say(t, t.own ?? t.other, { conversationId: t.scene.place() })],
  // To whomever: mostly nobody spoke to it.
  repliesToAnybody: (t: Try) => {
    const last = t.scene.anyMessage();
    return last && t.own ? [say(t, t.own, { conversationId: last.conversationId, replyTo: last.id })] : [];
  },
  // An old one, or one to come.
  wrongLease: (t: Try) => {
    const task = t.own ?? t.other;
    return [say(t, task, { lease: task === undefined ? 1 : task.lease + t.scene.random.pick([-1, 1, 7]) })];
  },
  // At once: the same, or something else.
  twiceUnderOneKey: (t: Try) => {
    const first = say(t, t.own ?? t.other, { key: `k${t.scene.keys++}` });
    return [first, t.scene.random.next() < 0.5 ? { ...first } : ({ ...first, body: `${t.scene.text()} again` } as Command)];
  },
  oldKey: (t: Try) => [say(t, t.own ?? t.other, { key: `k${t.scene.random.int(t.scene.keys + 1)}` })],
  claimsEverything: ({ open, agent }: Try) =>
    open
      .filter((task) => task.agent === null)
      .slice(0, 3)
      .map((task) => begin(agent, task)),
  // Of what was anyone's: too late, as a rule.
  claimsWhatIsTaken: ({ open, agent, scene }: Try) => {
    const anyones = open.filter((task) => task.addressedBy === 'any_agent' || task.addressedBy === 'role');
    return anyones.length > 0 ? [begin(agent, scene.random.pick(anyones))] : [];
  },
  // More than it may do at once, as a rule.
  beginsAllItHas: ({ mine, agent }: Try) =>
    mine
      .filter(({ state }) => state === 'queued')
      .slice(0, 3)
      .map((task) => begin(agent, task)),
  beginsWhatever: ({ other, agent }: Try) => (other ? [begin(agent, other)] : []),
  // The name is not what counts.
  asSomebodyElse: (t: Try) =>
    t.other
      ? [
          { type: 'task.begin' as const, by: t.agent.by, taskId: t.other.id, agentId: t.other.agent ?? t.agent.id },
          say(t, t.other, { agentId: t.other.agent }),
        ]
      : [],
  declinesAnothers: ({ other, agent }: Try): Command[] =>
    other && other.agent !== agent.id
      ? [{ type: 'task.decline', by: agent.by, taskId: other.id, lease: other.lease, outcome: 'declined', reason: 'no' }]
      : [],
  declinesItsOwn: ({ own, agent, scene }: Try): Command[] => {
    if (!own || scene.random.next() < 0.4) return [];
    const lease = own.lease - (scene.random.next() < 0.3 ? 1 : 0);
    return [{ type: 'task.decline', by: agent.by, taskId: own.id, lease, outcome: 'blocked', reason: 'cannot' }];
  },
  // Backwards, and from a connection that is no more.
  acknowledges: ({ agent, scene }: Try): Command[] => {
    const session = (scene.sessions.get(agent.id) ?? 1) - scene.random.int(2);
    return [{ type: 'agent.ack', by: agent.by, session, cursor: scene.random.int(100_000) }];
  },
  // The person's name, its own token; and its own name.
  asAPerson: ({ agent, scene }: Try): Command[] => {
    const { tokenId } = agent.by as { tokenId: string };
    const by = { memberId: scene.random.pick(scene.cast.people).id, tokenId };
    return [
      { type: 'message.post', by, conversationId: scene.place(), body: '^ALL hear me', attachmentIds: [] },
      { type: 'message.post', by: agent.by, conversationId: scene.place(), body: scene.text(), attachmentIds: [] },
    ];
  },
  whatOnlyPeopleDo: (t: Try) => [forbidden(t)],
  connects: (t: Try) => seldom(t, [{ type: 'agent.connect', by: t.agent.by }]),
  goes: (t: Try) => seldom(t, [t.scene.hangUp(t.agent)]),
  pauses: (t: Try): Command[] => {
    // With and without something to wait for, and what it does not hold.
    const { random } = t.scene;
    const task = random.next() < 0.2 ? t.other : t.own;
    if (!task) return [];
    const lease = task.lease - (random.next() < 0.1 ? 1 : 0);
    return [{ type: 'task.pause', by: t.agent.by, taskId: task.id, lease }];
  },
  givesOnAndWaits: (t: Try): Command[] => {
    if (t.own?.state !== 'active') return [];
    return [
      say(t, t.own, { kind: 'progress', body: `^${t.scene.handle()} please look at this` }),
      { type: 'task.pause', by: t.agent.by, taskId: t.own.id, lease: t.own.lease },
    ];
  },
  // Two of them, one of which gave the other work, say the same to each other again and again, or what was just said.
  goesRoundInCircles: (t: Try): Command[] => {
    const { scene, open } = t;
    const lower = open.find(({ parent, state, agent }) => parent !== null && state === 'active' && agent !== null);
    const upper = open.find(({ id, state }) => id === lower?.parent && state === 'active');
    const asks = scene.cast.agents.find(({ id }) => id === lower?.agent);
    const gives = scene.cast.agents.find(({ id }) => id === upper?.agent);
    if (!lower || !upper || !asks || !gives) return [];
    const echo = scene.random.next() < 0.5;
    const question = echo ? 'I looked at the build, and the linter fails in utils.ts' : 'I would still take Postgres, would you?';
    const reply = `^${asks.handle} ${echo ? 'the linter fails' : 'I would still take Redis, what about you?'}`;
    return [0, 1, 2, 3].flatMap((round) => [
      say({ ...t, agent: asks }, lower, { kind: 'question', body: question, lease: lower.lease + round }),
      say({ ...t, agent: gives }, upper, { kind: 'progress', body: reply }),
      begin(asks, lower),
    ]);
  },
  // Several last words under one lease, at once: only one of them is.
  severalLastWords: (t: Try) =>
    t.own ? [say(t, t.own, { kind: 'answer' }), say(t, t.own, { kind: 'answer' }), say(t, t.own, { kind: 'question' })] : [],
  works: (t: Try) => (t.own ? [t.own.state === 'queued' ? begin(t.agent, t.own) : say(t, t.own)] : []),
} satisfies Record<string, (t: Try) => Command[]>;
type Step = keyof typeof steps;

/** As often as they stand here. */
const times = (n: number, step: Step): Step[] => Array.from({ length: n }, () => step);
const all: readonly Step[] = [
  ...(Object.keys(steps) as Step[]),
  ...times(1, 'claimsEverything'),
  ...times(2, 'takesWhatGoesRound'),
  ...times(5, 'works'),
  ...times(3, 'givesOnAndWaits'),
  ...times(2, 'contactsSomebody'),
  ...times(2, 'usesItsYes'),
  ...times(2, 'worksForAnother'),
];
/** Those that are wrong whatever the state of things. */
const wrongs: readonly Step[] = [
  ...times(3, 'namesNoTask'),
  'inAnothersTask',
  ...times(2, 'afterTheEnd'),
  'elsewhere',
  ...times(2, 'wrongLease'),
  'oldKey',
  'declinesAnothers',
  'acknowledges',
  ...times(2, 'asAPerson'),
  'whatOnlyPeopleDo',
  'marksNowAndThen',
  'settlesWhatever',
  'speaksWhereItLeft',
  'contactsNowAndThen',
];

/** With each other: asked, told and made to wait. */
const together: readonly Step[] = [
  ...(Object.keys(contacts) as Step[]),
  ...times(4, 'contactsSomebody'),
  ...times(2, 'contactsAndAnswers'),
  ...times(3, 'usesItsYes'),
  ...times(6, 'worksForAnother'),
  ...times(4, 'works'),
  'connects',
];
const stepsOf: Readonly<Record<Play, readonly Step[]>> = { all, wrong: wrongs, contacts: together };

export function agentStep(scene: Scene, open: ModelTask[], byAgent: Map<string | null, ModelTask[]>, play: Play): Command[] {
  const { random, cast } = scene;
  const agent = random.pick(cast.agents);
  const mine = byAgent.get(agent.id) ?? [];
  const step: (t: Try) => Command[] = steps[random.pick(stepsOf[play])];
  return step({ scene, agent, open, mine, own: mine.length > 0 ? random.pick(mine) : undefined, other: scene.anyTask(open) });
}

function forbidden({ scene, agent, other }: Try): Command {
  const { random, cast } = scene;
  const { by } = agent;
  const conversationId = scene.place();
  const messageId = scene.anyMessage()?.id ?? 'msg_none';
  const taskId = other?.id ?? 'tsk_none';
  return random.pick<Command>([
    { type: 'task.stop', by, taskId },
    { type: 'task.redirect', by, taskId, instruction: 'mine' },
    { type: 'task.redirect', by, taskId, instruction: 'mine', agentId: agent.id },
    { type: 'message.edit', by, messageId, body: 'changed' },
    { type: 'message.delete', by, messageId },
    { type: 'conversation.edit', by, conversationId, change: { topic: 'hear me' } },
    { type: 'conversation.edit', by, conversationId, change: { archived: true } },
    { type: 'conversation.add', by, conversationId, memberId: agent.id },
    { type: 'conversation.join', by, conversationId },
    { type: 'dm.open', by, memberIds: [random.pick(cast.people).id] },
    { type: 'member.edit', by, memberId: agent.id, change: { displayName: 'hear me' } },
    { type: 'agent.edit', by, memberId: agent.id, change: { maxConcurrent: 10 } },
    { type: 'workspace.halt', by, halted: random.next() < 0.5 },
    { type: 'message.assign', by, messageId, memberId: random.pick(cast.agents).id, urgent: random.next() < 0.5 },
  ]);
}
