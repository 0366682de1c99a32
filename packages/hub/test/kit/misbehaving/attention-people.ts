// What people do that concerns attention: write in pieces, speak to nobody, press, give work, send away and call back, call roles, wait for answers, mark,
// edit who is meant.

import type { Command } from '../../../src/engine/command.ts';
import { chance, type Doing, post } from './scene.ts';

const anyOf = <T>({ scene }: Doing, items: readonly T[]): T | undefined => (items.length > 0 ? scene.random.pick(items) : undefined);

/** They make more work. */
export const asksAttention = {
  callsARole: (d: Doing) => [post(d, `^${d.scene.cast.role.handle} who looks at this?`)],
  waitsForAnAnswer: (d: Doing) => [post(d, `^${d.scene.handle()} which one?`, { obligation: d.scene.obligation() })],
  saysToNobody: (d: Doing) => [post(d, 'does anybody know why it is red?', { conversationId: d.scene.cast.open })],
  asksAtOnce: (d: Doing) => [post(d, `^${d.scene.handle()} now please`, { urgent: true })],
  givesAsWork: ({ last, person, scene }: Doing): Command[] =>
    last
      ? [{ type: 'message.assign', by: person.by, messageId: last.id, memberId: scene.random.pick(scene.cast.agents).id, urgent: false }]
      : [],
  writesInPieces: (d: Doing) => {
    const conversationId = d.scene.random.pick(d.scene.cast.channels);
    return [`^${d.scene.handle()} look at`, 'the deploy', 'of yesterday'].map((body) => post(d, body, { conversationId }));
  },
} satisfies Record<string, (d: Doing) => Command[]>;

export const heeds = {
  sendsAway: (d: Doing): Command[] => {
    const { random, cast } = d.scene;
    const agent = random.pick(cast.agents);
    const conversationId = d.scene.place();
    if (chance(d, 0.5)) return [{ type: 'leave.ask', by: d.person.by, conversationId, memberId: agent.id }];
    const body = chance(d, 0.5) ? `/leave ^${agent.handle}` : `^${agent.handle} please leave this channel`;
    return [post(d, body, { conversationId })];
  },
  callsBack: (d: Doing): Command[] => {
    const { random, cast, model } = d.scene;
    const agent = random.pick(cast.agents);
    const conversationId = anyOf(d, model.attention.leftBy(agent.id));
    if (conversationId === undefined) return [];
    return chance(d, 0.5)
      ? [{ type: 'leave.undo', by: d.person.by, conversationId, memberId: agent.id }]
      : [post(d, `^${agent.handle} come back`, { conversationId })];
  },
  changesARole: (d: Doing): Command[] => {
    if (!chance(d, 0.3)) return [];
    const { random, cast } = d.scene;
    const holderIds = [...cast.agents, d.person].filter(() => random.next() < 0.5).map(({ id }) => id);
    return [{ type: 'role.edit', by: cast.owner.by, roleId: cast.role.id, change: { holderIds } }];
  },
  settles: (d: Doing): Command[] => {
    const obligationId = d.scene.anyObligation();
    if (obligationId === undefined) return [];
    const entitled = d.scene.model.attention.obligations.get(obligationId)?.entitled ?? [];
    const author = d.scene.cast.people.find(({ id }) => entitled.includes(id));
    return [{ type: 'obligation.discharge', by: (chance(d, 0.7) ? author : undefined)?.by ?? d.person.by, obligationId }];
  },
  saysHowItStands: (d: Doing): Command[] => {
    const obligationId = d.scene.anyObligation();
    const signal = d.scene.random.pick(['working', 'declined', 'unclear', 'seen'] as const);
    return obligationId === undefined ? [] : [{ type: 'obligation.signal', by: d.person.by, obligationId, signal }];
  },
  answersACheckpoint: (d: Doing): Command[] => {
    const waiting = anyOf(d, d.scene.model.attention.checkpoints);
    if (!waiting) return [];
    const whose = d.scene.cast.people.find(({ id }) => id === waiting.member);
    const choice = d.scene.random.pick(['taken', 'left', 'noted']);
    return [{ type: 'checkpoint.close', by: (chance(d, 0.8) ? whose : undefined)?.by ?? d.person.by, checkpointId: waiting.id, choice }];
  },
  marks: ({ last, person, scene }: Doing): Command[] =>
    last ? [{ type: 'message.react', by: person.by, messageId: last.id, emoji: scene.glyph(), on: true }] : [],
  // Of whoever asked: dealt with already, or go on.
  marksWhatItWasTold: (d: Doing): Command[] => {
    const asked = d.scene.cast.people.find(({ id }) => id === d.task?.requester);
    if (!asked || !d.last) return [];
    return [{ type: 'message.react', by: asked.by, messageId: d.last.id, emoji: chance(d, 0.5) ? '✅' : '👍', on: true }];
  },
  edits: ({ last, person, scene }: Doing): Command[] => {
    if (!last) return [];
    const body = scene.random.pick([
      `^${scene.handle()} rather you`,
      `^${scene.handle()} and ^${scene.cast.role.handle} rather you`,
      'never mind',
      '^ANY of you rather',
      `^${scene.handle()} please leave this channel`,
    ]);
    return [{ type: 'message.edit', by: person.by, messageId: last.id, body }];
  },
  // What it asked, by whoever asked it: a slip of the pen.
  editsItsRequest: (d: Doing): Command[] => {
    const asked = d.scene.cast.people.find(({ id }) => id === d.task?.requester);
    const agent = d.scene.cast.agents.find(({ id }) => id === d.task?.agent);
    if (!asked || !agent || !d.task) return [];
    const body = chance(d, 0.7) ? `^${agent.handle} and the other one too` : 'it is done';
    return [{ type: 'message.edit', by: asked.by, messageId: d.task.message, body }];
  },
  deletesItsRequest: (d: Doing): Command[] => {
    const asked = d.scene.cast.people.find(({ id }) => id === d.task?.requester);
    return asked && d.task && chance(d, 0.5) ? [{ type: 'message.delete', by: asked.by, messageId: d.task.message }] : [];
  },
  // To what it is at, in the thread or DM of it.
  presses: (d: Doing): Command[] => {
    const asked = d.scene.cast.people.find(({ id }) => id === d.task?.requester);
    const agent = d.scene.cast.agents.find(({ id }) => id === d.task?.agent);
    if (!asked || !agent || !d.task) return [];
    return [post(d, `^${agent.handle} stop, rather this`, { by: asked.by, conversationId: d.task.conversation, urgent: true })];
  },
  types: ({ task, person }: Doing): Command[] => (task ? [{ type: 'compose.typing', by: person.by, taskIds: [task.id] }] : []),
} satisfies Record<string, (d: Doing) => Command[]>;
