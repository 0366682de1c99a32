// What people do meanwhile: ask, stop, redirect, delete, leave, archive and halt; and what the platform does of itself.

import { type Command, operator } from '../../../src/engine/command.ts';
import type { Someone } from '../bare.ts';
import type { ModelTask } from '../judges/floor-moves.ts';
import { asksAttention, heeds } from './attention-people.ts';
import { permits } from './contacts.ts';
import { chance, type Doing, type Play, post, type Scene } from './scene.ts';

/** More open at once than this and people stop asking for a while. */
const enough = 120;
const minute = 60_000;

const bring = ({ scene }: Doing, who: Someone): Command => ({
  type: 'conversation.add',
  by: scene.cast.owner.by,
  conversationId: scene.random.pick(scene.cast.channels),
  memberId: who.id,
});

/** They make more work; not while there is enough of it. */
const asking = {
  asksOne: (d: Doing) => [post(d, `^${d.scene.handle()} please do`)],
  asksTwo: (d: Doing) => [
    post(d, `^${d.scene.handle()} and ^${d.scene.handle()} please`, { outputs: [d.scene.random.pick(d.scene.cast.channels)] }),
  ],
  asksAnyone: (d: Doing) => [post(d, '^ANY of you')],
  asksEveryone: (d: Doing) => [post(d, chance(d, 0.3) ? '^ALL of you' : 'nobody in particular')],
  replies: (d: Doing) =>
    d.last ? [post(d, 'and this?', { conversationId: d.last.conversationId || d.scene.place(), replyTo: d.last.id })] : [],
  // Of a few, who go before it is asked, or after.
  asksWhereNobodyIs: (d: Doing): Command[] => {
    const { small } = d.scene.cast;
    const ask = post(d, '^ANY of you', { by: d.scene.cast.owner.by, conversationId: small.id });
    const go = small.agents.map((agent) => d.scene.hangUp(agent));
    return chance(d, 0.5) ? [...go, ask] : [ask, ...go];
  },
} satisfies Record<string, (d: Doing) => Command[]>;

const meddling = {
  says: (d: Doing) => [post(d, d.scene.random.pick(['thanks', 'go on', 'more of that please', '@all listen']))],
  stops: (d: Doing): Command[] =>
    d.task ? [{ type: 'task.stop', by: chance(d, 0.5) ? d.scene.cast.owner.by : d.person.by, taskId: d.task.id }] : [],
  redirects: ({ task, person }: Doing): Command[] =>
    task ? [{ type: 'task.redirect', by: person.by, taskId: task.id, instruction: 'rather this' }] : [],
  turnsTo: ({ task, person, scene }: Doing): Command[] => {
    const agentId = scene.random.pick(scene.cast.agents).id;
    return task ? [{ type: 'task.redirect', by: person.by, taskId: task.id, instruction: 'you do it', agentId }] : [];
  },
  deletes: ({ last, person }: Doing): Command[] => (last ? [{ type: 'message.delete', by: person.by, messageId: last.id }] : []),
  opensAThread: ({ last, person }: Doing): Command[] => (last ? [{ type: 'thread.open', by: person.by, messageId: last.id }] : []),
  comesAndGoes: (d: Doing): Command[] =>
    chance(d, 0.2)
      ? [{ type: 'conversation.leave', by: d.person.by, conversationId: d.scene.random.pick(d.scene.cast.channels) }, bring(d, d.person)]
      : [],
  takesAnAgentOut: (d: Doing): Command[] => {
    const { random, cast } = d.scene;
    if (!chance(d, 0.2)) return [bring(d, random.pick([...cast.agents, ...cast.people]))];
    const agent = random.pick(cast.agents);
    return [
      { type: 'conversation.remove', by: cast.owner.by, conversationId: random.pick(cast.channels), memberId: agent.id },
      bring(d, random.pick(cast.agents)),
    ];
  },
  haltsOrReleases: (d: Doing): Command[] =>
    chance(d, 0.05) ? [{ type: 'workspace.halt', by: d.person.by, halted: !d.scene.model.halted }] : [],
  // Everything else goes on meanwhile; most often it is taken out again soon.
  archives: (d: Doing): Command[] => {
    const { cast, random } = d.scene;
    const archive = (archived: boolean, conversationId = random.pick(cast.channels)): Command => ({
      type: 'conversation.edit',
      by: cast.owner.by,
      conversationId,
      change: { archived },
    });
    return chance(d, 0.15) ? [archive(true)] : cast.channels.map((id) => archive(false, id));
  },
  putsToSleep: (d: Doing): Command[] => {
    const { cast, random, model } = d.scene;
    const asleepUntil = model.now + random.int(10) * minute;
    return chance(d, 0.3)
      ? [{ type: 'agent.edit', by: cast.owner.by, memberId: random.pick(cast.agents).id, change: { asleepUntil } }]
      : [];
  },
} satisfies Record<string, (d: Doing) => Command[]>;

const platform = {
  // As its scheduler does.
  beginsWhatIsQueued: ({ open }: Doing): Command[] =>
    open
      .filter(({ agent, state }) => agent !== null && state === 'queued')
      .slice(0, 2)
      .map((queued) => ({ type: 'task.begin', by: operator, taskId: queued.id, agentId: queued.agent! })),
  // As for a brain inside the hub that could not.
  fails: (d: Doing): Command[] => {
    // Who waits for others would be found too seldom by chance.
    const waiting = chance(d, 0.5) ? 'awaiting_delegation' : 'awaiting_approval';
    const waits = d.open.find(({ state }) => state === waiting);
    const task = waits && chance(d, 0.3) ? waits : d.task;
    return task?.agent ? [{ type: 'task.fail', by: operator, taskId: task.id, lease: task.lease, agentId: task.agent }] : [];
  },
} satisfies Record<string, (d: Doing) => Command[]>;

type Step = (d: Doing) => Command[];
const withoutAsking: readonly Step[] = [
  ...Object.values(meddling),
  ...Object.values(heeds),
  ...Object.values(permits),
  permits.answersAnApproval,
  permits.answersAnApproval,
  meddling.stops,
  meddling.stops,
  platform.beginsWhatIsQueued,
  platform.beginsWhatIsQueued,
  platform.fails,
];
const all: readonly Step[] = [
  ...Object.values(asking),
  ...Object.values(asksAttention),
  asking.asksOne,
  asking.asksWhereNobodyIs,
  ...withoutAsking,
];

/** Work for agents to share, and what is to be said of that. */
const together: readonly Step[] = [
  ...Object.values(permits),
  ...Array.from({ length: 6 }, () => permits.answersAnApproval),
  platform.beginsWhatIsQueued,
  platform.beginsWhatIsQueued,
  platform.fails,
  meddling.stops,
];
const sharing: readonly Step[] = [...together, ...Array.from({ length: 8 }, () => asking.asksOne), asking.asksAnyone, asking.asksAnyone];
const stepsOf = (play: Play, isEnough: boolean): readonly Step[] =>
  play === 'contacts' ? (isEnough ? together : sharing) : isEnough ? withoutAsking : all;

export function personStep(scene: Scene, open: ModelTask[], play: Play): Command[] {
  const { random, cast } = scene;
  const step = random.pick(stepsOf(play, open.length > enough));
  return step({ scene, person: random.pick(cast.people), open, task: scene.anyTask(open), last: scene.anyMessage() });
}
