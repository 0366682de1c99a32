// Agents that contact each other, rightly and wrongly, and people who say who may, approve, say no, or are not the ones to say it.

import type { Command } from '../../../src/engine/command.ts';
import type { Someone } from '../bare.ts';
import type { ModelTask } from '../judges/floor-moves.ts';
import { chance, type Doing, type Try } from './scene.ts';

/** More open at once than this and agents bother each other no more for a while. */
const enough = 160;
const actions = ['ask', 'delegate', 'delegate', 'notify'] as const;

const busy = ({ open }: Try): boolean => open.length > enough;
const atWork = ({ mine }: Try): ModelTask | undefined => mine.find(({ state }) => state === 'active');

/** Few words, so that the same call is made again: an approval is for just one. */
function call({ scene, agent }: Try, task: ModelTask, targetId: string, over: object = {}): Command {
  const { random } = scene;
  const message = random.pick(['look at the first part', 'count what is red', 'what do you make of the rest?', 'it is done, see there']);
  const more = random.next() < 0.2 ? { context: 'only of today', priority: random.pick(['low', 'high', 'urgent']) } : {};
  const action = random.pick(actions);
  return { type: 'contact.start', by: agent.by, taskId: task.id, lease: task.lease, action, targetId, message, ...more, ...over };
}

const another = ({ scene, agent }: Try): Someone => scene.random.pick(scene.cast.agents.filter(({ id }) => id !== agent.id));

/** What agents try with each other. */
export const contacts = {
  contactsSomebody: (t: Try): Command[] => {
    const task = atWork(t);
    return task && !busy(t) ? [call(t, task, another(t).id)] : [];
  },
  // Old, to come, or just what it has.
  contactsUnderAnyLease: (t: Try): Command[] => {
    const task = atWork(t) ?? t.own ?? t.other;
    return task ? [call(t, task, another(t).id, { lease: Math.max(0, task.lease + t.scene.random.pick([-2, -1, -1, 1, 7])) })] : [];
  },
  contactsInAnothersTask: (t: Try): Command[] => (t.other ? [call(t, t.other, another(t).id)] : []),
  // Who is no agent, itself, nobody at all; or nothing that could be done.
  contactsBadly: (t: Try): Command[] => {
    const task = atWork(t);
    if (!task) return [];
    const { random, cast } = t.scene;
    if (random.next() < 0.4) {
      const over = random.pick([{ action: 'shout' }, { message: ' ' }, { priority: 'soon' }, { context: 'x'.repeat(40_001) }]);
      return [call(t, task, another(t).id, over)];
    }
    const nobody = '019b76da-a800-7000-8000-000000000000';
    return [call(t, task, random.pick([t.agent.id, t.agent.id, random.pick(cast.people).id, nobody, 'nobody', '*']))];
  },
  // Whoever gave it the work, or is above that one: work does not go in a circle, a question may.
  contactsWhoIsAbove: (t: Try): Command[] => {
    const below = t.mine.find(({ state, path }) => state === 'active' && path.length > 1);
    if (!below || busy(t)) return [];
    const above = t.scene.random.pick(below.path.slice(0, -1));
    return [call(t, below, above)];
  },
  // As deep as it goes, and one further.
  contactsFromBelow: (t: Try): Command[] => {
    const deepest = t.mine.filter(({ state }) => state === 'active').toSorted((a, b) => b.depth - a.depth)[0];
    return deepest && deepest.depth > 0 && !busy(t) ? [call(t, deepest, another(t).id)] : [];
  },
  contactsWhoIsGone: (t: Try): Command[] => {
    const task = atWork(t);
    if (!task || !chance(t, 0.3)) return [];
    const target = another(t);
    return [t.scene.hangUp(target), call(t, task, target.id)];
  },
  // At once: the same, or something else.
  contactsTwiceUnderOneKey: (t: Try): Command[] => {
    const task = atWork(t);
    if (!task || busy(t)) return [];
    const first = call(t, task, another(t).id, { key: `k${t.scene.keys++}` });
    return [first, chance(t, 0.7) ? { ...first } : ({ ...first, message: 'or rather that' } as Command)];
  },
  // Its last word comes while others are at it, or somebody is asked: it is none yet.
  contactsAndAnswers: (t: Try): Command[] => {
    const task = atWork(t);
    if (!task || busy(t)) return [];
    const { id: taskId, lease } = task;
    const first = call(t, task, another(t).id, { action: chance(t, 0.7) ? 'delegate' : 'ask' });
    return chance(t, 0.5)
      ? [first, { type: 'task.say', by: t.agent.by, taskId, lease, kind: 'answer', body: 'that is all of it' }]
      : [first, { type: 'task.pause', by: t.agent.by, taskId, lease }];
  },
  declinesWhatWaits: (t: Try): Command[] => {
    const waits = t.mine.find(({ state }) => state === 'awaiting_approval') ?? t.mine.find(({ state }) => state === 'awaiting_delegation');
    if (!waits || !chance(t, 0.3)) return [];
    return [{ type: 'task.decline', by: t.agent.by, taskId: waits.id, lease: waits.lease, outcome: 'declined', reason: 'not any more' }];
  },
  // What another gave it: begun, and most often done.
  worksForAnother: (t: Try): Command[] => {
    const given = t.mine.filter(({ addressedBy }) => addressedBy === 'agent_ask' || addressedBy === 'agent_delegation');
    const task = given.find(({ state }) => state === 'active') ?? given.find(({ state }) => state === 'queued');
    if (!task) return [];
    const { by } = t.agent;
    const { id: taskId, lease } = task;
    if (task.state === 'queued') return [{ type: 'task.begin', by, taskId }];
    const kind = t.scene.random.pick(['answer', 'answer', 'answer', 'question'] as const);
    return [{ type: 'task.say', by, taskId, lease, kind, body: `${kind === 'answer' ? 'it comes to' : 'is it about'} ${t.scene.keys}?` }];
  },
  // It goes on with what was asked of it by whom it gave work.
  answersItsQuestion: (t: Try): Command[] => {
    for (const task of t.mine) {
      if (task.state !== 'active') continue;
      const asks = t.open.find(({ parent, state, agent }) => parent === task.id && state === 'waiting' && agent !== null);
      if (asks) return [call(t, task, asks.agent!)];
    }
    return [];
  },
  // Just what was approved; now and then twice at once, in another task, or with one word more.
  usesItsYes: (t: Try): Command[] => {
    const { yes } = t.scene.model.contacts;
    for (const task of t.mine) {
      const said = task.state === 'active' ? yes.of(task.id).find(({ state }) => state === 'approved' || state === 'denied') : undefined;
      const input = said && (JSON.parse(said.input) as { agentId: string } | null);
      if (!input) continue;
      const { agentId: targetId, ...rest } = input;
      const again = call(t, task, targetId, { context: undefined, priority: undefined, ...rest });
      switch (t.scene.random.int(8)) {
        case 0:
          return [again, { ...again }];
        case 1:
          return [{ ...again, message: 'something else' } as Command];
        case 2: {
          const other = t.mine.find(({ id, state }) => id !== task.id && state === 'active');
          return other ? [{ ...again, taskId: other.id, lease: other.lease } as Command] : [again];
        }
        default:
          return [again];
      }
    }
    return [];
  },
  // Whoever is asked is a person.
  saysYesItself: ({ scene, agent }: Try): Command[] => {
    const [asked] = scene.model.contacts.yes.open.values();
    if (!asked || scene.random.next() < 0.7) return [];
    return [{ type: 'checkpoint.close', by: agent.by, checkpointId: asked.id, choice: 'approve' }];
  },
  rulesItself: ({ scene, agent }: Try): Command[] =>
    scene.random.next() < 0.2
      ? [{ type: 'contact.rule', by: agent.by, agentId: agent.id, target: '*', permission: 'allow', requiresApproval: false }]
      : [],
} satisfies Record<string, (t: Try) => Command[]>;

/** What people say of it. */
export const permits = {
  rules: (d: Doing): Command[] => {
    const { random, cast } = d.scene;
    if (!chance(d, 0.25)) return [];
    const agent = random.pick(cast.agents);
    const target = chance(d, 0.3) ? '*' : random.pick(cast.agents).id;
    const kind = random.int(4);
    const line =
      kind === 0
        ? { permission: 'deny' as const, requiresApproval: chance(d, 0.1) }
        : { permission: 'allow' as const, requiresApproval: kind < 3 };
    const by = chance(d, 0.7) ? cast.owner.by : d.person.by;
    return chance(d, 0.35)
      ? [{ type: 'contact.clear', by, agentId: agent.id, target }]
      : [{ type: 'contact.rule', by, agentId: agent.id, target, ...line }];
  },
  // The one who is asked, mostly; and from two places at once.
  answersAnApproval: (d: Doing): Command[] => {
    const { random, cast, model } = d.scene;
    const asked = [...model.contacts.yes.open.values()];
    if (asked.length === 0) return [];
    const yes = random.pick(asked);
    const choice = (): string => random.pick(['approve', 'approve', 'approve', 'deny', 'deny', 'always', 'taken']);
    const right = cast.people.find(({ id }) => id === yes.person);
    const by = (chance(d, 0.8) ? right : undefined)?.by ?? d.person.by;
    const answer = (): Command => ({ type: 'checkpoint.close', by, checkpointId: yes.id, choice: choice() });
    return chance(d, 0.2) ? [answer(), answer()] : [answer()];
  },
  // How freely it acts, and who is above it.
  changesAnAgent: (d: Doing): Command[] => {
    const { random, cast, model } = d.scene;
    if (!chance(d, 0.08)) return [];
    const { id, handle } = random.pick(cast.agents);
    const manager = chance(d, 0.5) ? null : random.pick([...cast.agents, ...cast.people]).handle;
    const mode = random.pick(['autonomous', 'autonomous', 'supervised', 'strict'] as const);
    const made = { instructions: '', memory: '', tools: [], brain: { kind: 'remote' } as const };
    const identity = { profile: { handle, displayName: handle, about: '' }, ...made, mode, manager };
    const by = chance(d, 0.8) ? cast.owner.by : d.person.by;
    return [{ type: 'identity.put', by, agentId: id, version: model.contacts.permits.version(id), identity }];
  },
} satisfies Record<string, (d: Doing) => Command[]>;
