// Proposals with actions that a test names, and handlers that keep a log.

import { type ActionHandler, rulesBrain } from '@parley/peer';
import { expect } from 'vitest';
import { commands, exchangeAll } from './negotiation-kit.ts';
import type { Person } from './people-kit.ts';

type NamedAction = {
  action: string;
  scope?: 'shared' | 'own';
  by?: string;
};

/** Bob's peer proposes these actions before the calendar's. */
export function proposing(bob: Person, ...actions: NamedAction[]): void {
  bob.brain = async (view) => {
    const move = await rulesBrain(view);
    if (move.kind !== 'propose') return move;
    const { actions_on_confirm: own = [], ...content } = move.content;
    return { ...move, content: { ...content, actions_on_confirm: [...actions, ...own] } };
  };
}

export const logging = (log: string[], name: string, run: () => void = () => {}): Required<Omit<ActionHandler, 'isRemote'>> => ({
  run: async ({ key }) => {
    log.push(`run ${name}`);
    expect(key).toMatch(/-\d+-(initiator|responder)$/);
    run();
  },
  undo: async () => void log.push(`undo ${name}`),
});

export async function confirmBoth(ann: Person, bob: Person, id: string): Promise<void> {
  for (const person of [bob, ann]) await commands(person).confirm({ id, answer: { kind: 'confirm' } });
  await exchangeAll(ann, bob);
}
