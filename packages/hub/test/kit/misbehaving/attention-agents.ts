// What agents try that concerns attention: stay where they were asked to leave, part twice, mark what is not theirs, settle
// what others wait for, go round in circles, take what stands with another.

import type { By, Command } from '../../../src/engine/command.ts';
import type { ModelTask } from '../judges/floor-moves.ts';
import { chance, say, type Try } from './scene.ts';

/** So often two say the same to each other: more than is let pass. */
const rounds = 5;

export const attends = {
  // Where it was asked to leave; and once more, at once.
  saysGoodbye: (t: Try): Command[] => {
    const conversationId = leftPlace(t);
    if (conversationId === undefined) return [];
    const goodbye = say(t, undefined, { kind: 'progress', conversationId, body: 'All right.' });
    return chance(t, 0.4) ? [goodbye, { ...goodbye, body: 'And one more thing.' } as Command] : [goodbye];
  },
  // In a task it has, or had.
  speaksWhereItLeft: (t: Try): Command[] => {
    const conversationId = leftPlace(t);
    if (conversationId === undefined) return [];
    const task = t.own ?? t.scene.model.ended.findLast(({ agent }) => agent === t.agent.id);
    return [say(t, task, { conversationId })];
  },
  marksItsRequest: (t: Try): Command[] => {
    if (!t.own || !chance(t, 0.5)) return [];
    const lease = t.own.lease - (chance(t, 0.2) ? 1 : 0);
    return [{ type: 'message.react', by: t.agent.by, messageId: t.own.message, emoji: t.scene.glyph(), on: true, lease }];
  },
  // What was never begun has no lease, and can be done with all the same.
  marksBeforeItBegins: ({ mine, agent, scene }: Try): Command[] => {
    const queued = mine.find(({ state, lease }) => state === 'queued' && lease === 0);
    const emoji = scene.random.pick(['👍', '🙅', '🚧', '❓']);
    return queued ? [{ type: 'message.react', by: agent.by, messageId: queued.message, emoji, on: true }] : [];
  },
  marksAnything: ({ scene, agent }: Try): Command[] => {
    const message = scene.anyMessage();
    return message
      ? [{ type: 'message.react', by: agent.by, messageId: message.id, emoji: scene.glyph(), on: scene.random.next() < 0.9 }]
      : [];
  },
  raisesItsHand: ({ scene, agent, open }: Try): Command[] => {
    const offered = open.filter((task) => task.agent === null);
    return offered.length > 0
      ? [{ type: 'message.react', by: agent.by, messageId: scene.random.pick(offered).message, emoji: '✋', on: true }]
      : [];
  },
  takesWhatGoesRound: ({ scene, agent }: Try): Command[] => {
    const messageId = scene.goingRound();
    return messageId === undefined ? [] : [{ type: 'round.claim', by: agent.by, messageId }];
  },
  passesItOn: ({ scene, agent }: Try): Command[] => {
    const messageId = scene.goingRound();
    return messageId === undefined ? [] : [{ type: 'round.pass', by: agent.by, messageId }];
  },
  waitsForAnAnswer: (t: Try): Command[] => {
    if (t.own?.state !== 'active' || !chance(t, 0.5)) return [];
    const asks = chance(t, 0.5) ? { kind: 'question', body: 'which one?' } : { kind: 'progress', body: `^${t.scene.handle()} which one?` };
    return [say(t, t.own, { ...asks, obligation: t.scene.obligation() })];
  },
  settlesWhatever: ({ scene, agent }: Try): Command[] => {
    const obligationId = scene.anyObligation();
    return obligationId === undefined ? [] : [{ type: 'obligation.discharge', by: agent.by, obligationId }];
  },
  saysHowItStands: ({ scene, agent }: Try): Command[] => {
    const obligationId = scene.anyObligation();
    const signal = scene.random.pick(['working', 'declined', 'blocked', 'unclear'] as const);
    return obligationId === undefined ? [] : [{ type: 'obligation.signal', by: agent.by, obligationId, signal }];
  },
  // It asks whoever gave it the work, who asks it back, and so on, under one lease after the other.
  goesRound: (t: Try): Command[] => {
    const pair = pairOf(t);
    if (!pair || !chance(t, 0.3)) return [];
    const { below, above, asker } = pair;
    const body = chance(t, 0.5) ? 'we are looking at all of them' : 'please look at all of them';
    return Array.from({ length: rounds }, (_, n): Command[] => {
      const lease = below.lease + n;
      return [
        ...(n === 0 ? [] : [{ type: 'task.begin' as const, by: t.agent.by, taskId: below.id }]),
        { type: 'task.say', by: t.agent.by, taskId: below.id, lease, kind: 'question', body },
        { type: 'task.say', by: asker.by, taskId: above.id, lease: above.lease, kind: 'progress', body: `^${t.agent.handle} ${body}` },
      ];
    }).flat();
  },
} satisfies Record<string, (t: Try) => Command[]>;

function leftPlace({ scene, agent }: Try): string | undefined {
  const places = scene.model.attention.leftBy(agent.id);
  return places.length > 0 ? scene.random.pick(places) : undefined;
}

/** A task it has that another agent gave it, both at work. */
function pairOf({ mine, scene }: Try): { below: ModelTask; above: ModelTask; asker: { by: By } } | undefined {
  for (const below of mine) {
    const above = below.parent === null || below.state !== 'active' ? undefined : scene.model.open.get(below.parent);
    const asker = scene.cast.agents.find(({ id }) => id === above?.agent);
    if (above?.state === 'active' && asker) return { below, above, asker };
  }
  return undefined;
}
