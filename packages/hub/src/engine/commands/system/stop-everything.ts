// Stop everything, and release it: every agent of the workspace at once (SYS-10).

import type { Halt } from '@parley/protocol';
import { actorId, actorOf, type Handler, require } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';
import { putSetting, setting, haltNow } from '../../steps/facts/settings.ts';

export interface StopCommands {
  'workspace.halt': [{ halted: boolean }, { halt: Halt }];
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

export const stopHandlers = { 'workspace.halt': halt };
