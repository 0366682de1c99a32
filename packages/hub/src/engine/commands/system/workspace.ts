// The whole workspace at once: stop everything and release it (SYS-10), and the demo story, whose acts are commands of their own.

import type { Halt } from '@parley/protocol';
import { actorId, actorOf, type Handler, require } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';
import { putSetting, setting, haltNow } from '../../steps/facts/settings.ts';
import { type DemoPlayer, demoKey, removedDemosKey } from '../../../demo/demo.ts';

export interface WorkspaceCommands {
  'workspace.halt': [{ halted: boolean }, { halt: Halt }];
  /** Refused where the caller may not start or remove the story. */
  'demo.check': [object, void];
  /** Null: the story is removed. */
  'demo.note': [{ demo: DemoPlayer | null }, void];
}

const halt: Handler<'workspace.halt'> = {
  locks: () => ['halt', 'clock'],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require(c.halted ? 'workspace.halt' : 'workspace.release', actor);
    const before = haltNow(tx);
    const after = c.halted ? (before ?? { since: tx.now, by: actorId(actor) }) : null;
    if (after !== before) {
      // While everything was stopped no agent could work: that time is nobody's.
      if (before && !after) putSetting('clock.shift', setting('clock.shift', tx, 0) + tx.now - before.since, tx);
      putSetting('halted', after, tx);
      append(tx, { type: 'workspace.halted', actor, scope: 'workspace', data: { halted: c.halted } });
    }
    return { halt: { halted: after !== null, since: after?.since ?? null, by: after?.by ?? null } };
  },
};

const check: Handler<'demo.check'> = {
  decide: (c, tx) => {
    require('demo.play', actorOf(c.by, tx, tx.now));
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
  },
};

export const workspaceHandlers = { 'workspace.halt': halt, 'demo.check': check, 'demo.note': note };
