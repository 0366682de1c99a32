// The demo story as the workspace notes it. Each act of the story is a command of its own, with its own checks.

import { type DemoPlayer, demoKey, removedDemosKey } from '../../../demo/demo.ts';
import { actorOf, type Handler, require } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';
import { putSetting, setting } from '../../steps/facts/settings.ts';

export interface DemoCommands {
  /** Refused where the caller may not start or remove the story. */
  'demo.check': [object, Record<string, never>];
  /** Null: the story is removed. */
  'demo.note': [{ demo: DemoPlayer | null }, Record<string, never>];
}

const check: Handler<'demo.check'> = {
  decide: (c, tx) => {
    require('demo.play', actorOf(c.by, tx, tx.now));
    return {};
  },
};

const note: Handler<'demo.note'> = {
  locks: () => [demoKey],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require('demo.play', actor);
    const before = setting<DemoPlayer | null>(demoKey, tx, null);
    if (c.demo === null && before) putSetting(removedDemosKey, [...setting<string[]>(removedDemosKey, tx, []), before.conversationId], tx);
    putSetting(demoKey, c.demo, tx);
    append(tx, {
      type: c.demo === null ? 'demo.removed' : 'demo.noted',
      actor,
      ...(c.demo === null ? {} : { conversation_id: c.demo.conversationId }),
    });
    return {};
  },
};

export const demoHandlers = { 'demo.check': check, 'demo.note': note };
