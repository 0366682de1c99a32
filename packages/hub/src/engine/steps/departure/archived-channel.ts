// A channel is archived: nobody could answer in it any more, or end what is open there.

import { wantBy } from '../../../store/port.ts';
import type { ConversationRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { agentsIn } from '../conversations/addressable-members.ts';
import { endRoundsIn } from '../offers/offer-rounds.ts';
import { anyonesTasks } from '../offers/offers.ts';
import { endTask, gatherWhole, homeOf, homeWants } from '../tasks/tasks.ts';

export function endWorkIn(channel: ConversationRow, set: WorkingSet, context: Context): void {
  endRoundsIn(channel.id, set, context);
  const agents = agentsIn(channel, set);
  set.need(agents.map(({ id }) => wantBy('tasks', 'agent', id, 1)));
  const open = [...anyonesTasks(set), ...agents.flatMap(({ id }) => set.find('tasks', 'agent', id, 1))];
  set.need(open.map(({ conversation_id: id }) => ({ table: 'conversations', values: [id] })));
  set.need(open.flatMap(({ conversation_id: id }) => homeWants(id, set)));
  const here = new Map(open.filter((task) => homeOf(task.conversation_id, set).id === channel.id).map((task) => [task.id, task]));
  gatherWhole([...here.values()], set, context);
  // From above: a sub-task ends with its task.
  for (const { id } of [...here.values()].toSorted((a, b) => a.depth - b.depth))
    endTask(set.get('tasks', id)!, 'cancelled', 'channel_archived', set, context);
}
