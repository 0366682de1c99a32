// A channel is archived: nobody could answer in it any more, or end its open tasks.

import type { ConversationRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { agentsIn } from '../conversations/addressable-members.ts';
import { endRoundsIn } from '../offers/offer-rounds.ts';
import { anyonesTasks } from '../offers/offers.ts';
import { endTask, gatherWhole, homeOf } from '../tasks/tasks.ts';

export function endWorkIn(channel: ConversationRow, tx: Tx): void {
  endRoundsIn(channel.id, tx);
  const agents = agentsIn(channel, tx);
  const open = new Set([...anyonesTasks(tx), ...tx.each(agents, ({ id }) => tx.find('tasks', 'agent', id, 1)).flat()]);
  const here = tx.each(open, (task) => (homeOf(task.conversation_id, tx).id === channel.id ? [task] : [])).flat();
  gatherWhole(here, tx);
  // Parents come first, because a sub-task ends with its task.
  for (const { id } of here.toSorted((a, b) => a.depth - b.depth))
    endTask(tx.get('tasks', id)!, { state: 'cancelled', cause: 'channel_archived' }, tx);
}
