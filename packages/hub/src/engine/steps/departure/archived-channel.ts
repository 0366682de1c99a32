// A channel is archived: nobody could answer in it any more, or end its open tasks.

import { wantBy } from '../../../store/port.ts';
import type { ConversationRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { agentsIn } from '../conversations/addressable-members.ts';
import { endRoundsIn } from '../offers/offer-rounds.ts';
import { anyonesTasks } from '../offers/offers.ts';
import { endTask, gatherWhole, homeOf, homeWants } from '../tasks/tasks.ts';

export function endWorkIn(channel: ConversationRow, tx: Tx): void {
  endRoundsIn(channel.id, tx);
  const agents = agentsIn(channel, tx);
  tx.need(agents.map(({ id }) => wantBy('tasks', 'agent', id, 1)));
  const open = [...anyonesTasks(tx), ...agents.flatMap(({ id }) => tx.find('tasks', 'agent', id, 1))];
  tx.need(open.map(({ conversation_id: id }) => ({ table: 'conversations', values: [id] })));
  tx.need(open.flatMap(({ conversation_id: id }) => homeWants(id, tx)));
  const here = new Map(open.filter((task) => homeOf(task.conversation_id, tx).id === channel.id).map((task) => [task.id, task]));
  gatherWhole([...here.values()], tx);
  // From above: a sub-task ends with its task.
  for (const { id } of [...here.values()].toSorted((a, b) => a.depth - b.depth))
    endTask(tx.get('tasks', id)!, { state: 'cancelled', cause: 'channel_archived' }, tx);
}
