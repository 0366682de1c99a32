// Who owes whom: a person, an agent that is to answer, the agent above it and the person above that.

import { handlers } from '../../src/engine/handlers.ts';
import type { Handlers } from '../../src/engine/command.ts';
import type { Obligation } from '@parley/protocol';
import type { Person } from '@parley/testkit';
import { type Floor, floorOn } from './floor.ts';

const minute = 60_000;
/** Longer than a task has: each return finds the one before timed out. */
export const interval = 40 * minute;

export interface World {
  floor: Floor;
  here: string;
  /** Is to answer; its manager is `above`, whose owner is bob. */
  asked: Person;
  above: Person;
  pass: (ms: number) => Promise<void>;
  turns: (agent: Person) => Promise<number>;
  /** Ann is held up until `asked` has answered. */
  post: (body?: string) => Promise<Obligation>;
  waitingFor: (who: Person) => Promise<string[]>;
}

let n = 0;

export async function worldOn(floor: Floor): Promise<World> {
  const { ann, bob, kit, clock } = floor;
  n++;
  const asked = await floor.agent(`ASKED${n}`);
  const above = await floor.agent(`ABOVE${n}`, { owner: bob });
  await ann.call('editMember', { params: { memberId: asked.id }, body: { managerId: above.id } });
  const here = await floor.channel(`owed-${n}`, bob, asked, above);
  return {
    floor,
    here,
    asked,
    above,
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= 5 * minute) {
        clock.advance(Math.min(left, 5 * minute));
        await kit.hub.kernel.timers.tick();
        await kit.hub.kernel.scheduler.settled();
      }
      await kit.hub.kernel.scheduler.settled();
    },
    turns: async (agent) => (await kit.hub.kernel.store.rows('turns', 'where agent_id = ?', [agent.id])).length,
    post: async (body = 'which one?') => {
      const message = await ann.call('postMessage', {
        params: { conversationId: here },
        body: {
          body: `^${asked.handle} ${body}`,
          obligation: { blocks: 'halted', defaultAction: 'take the first', intervalMs: interval },
        },
      });
      await kit.hub.kernel.scheduler.settled();
      const { obligations } = await ann.call('listObligations', { query: { waiting: 'me' } });
      return obligations.find((one) => one.messageId === message.id)!;
    },
    waitingFor: async (who) => {
      const { checkpoints } = await who.call('listCheckpoints', { query: {} });
      return checkpoints.flatMap(({ obligationIds }) => obligationIds);
    },
  };
}

/** A hub that delivers what is owed, and never comes back to it. */
const fire = handlers['timer.fire'];
const forgetful: Handlers = {
  ...handlers,
  'timer.fire': {
    ...fire,
    decide: (c, tx) => {
      const timer = tx.get('timers', c.timerId);
      if (timer?.kind !== 'obligation.due') return fire.decide(c, tx);
      tx.remove('timers', timer);
      return { remains: false };
    },
  },
};

export const obliging = (engine: 'sqlite' | 'postgres', returns: 'returns' | 'no returns' = 'returns'): Promise<Floor> =>
  floorOn(engine, returns === 'returns' ? {} : { handlers: forgetful });
