import { agentList } from '@parley/core';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useSelect } from '../state/context.ts';
import type { Forecast } from './forecast-words.ts';
import type { pageForecast as Foresee, RoomKnowledge } from './page-forecast.ts';
import { hubForecast } from './hub-forecast.ts';
import { openTasksHere, placeOf } from './room.ts';
import type { Here } from './room.ts';
import { useDryRun } from './use-dry-run.ts';

interface Input {
  room: Here | undefined;
  conversationId: string | null;
  root: string | null;
  text: string;
  attachments: number;
  /** Its writer marks it so. */
  urgent: boolean;
}

const nothing: Forecast = { tone: 'hint', text: undefined, mayChange: [], doubts: [], verdicts: new Map() };

export function useForecast({ room, conversationId, root, text, attachments, urgent }: Input): Forecast {
  const rootAuthorId = useSelect((state) => state.timelines[room?.id ?? '']?.messages[root ?? '']?.authorId ?? null);
  const known = useKnown();
  const foresee = useForesee();
  const { tasks, members, myId } = known;
  // A long text is read again at every key; the key comes first.
  const settled = useDeferredValue(text);
  const going = useMemo(
    () => (room ? openTasksHere(placeOf({ room, conversationId, root }), tasks, myId) : new Map<string, never>()),
    [room, conversationId, root, tasks, myId],
  );
  const foretold = useMemo((): Forecast => {
    if (!room) return nothing;
    if (settled.trim() !== '' || attachments > 0)
      return !foresee ? nothing : foresee(known, { room, conversationId, root, rootAuthorId, text: settled, attachments, urgent });
    const askers = room.members.filter((member) => going.get(member.id)?.uncalled?.continuing === 'asked').map((member) => member.handle);
    if (askers.length === 0) return { ...nothing, text: invitation(room) };
    return { ...nothing, tone: 'wakes', text: `${agentList(askers)} asked you something: your next message here answers.` };
  }, [room, conversationId, root, rootAuthorId, known, foresee, going, settled, attachments, urgent]);
  const { mayChange, refusing } = useDryRun(conversationId, settled.trim(), urgent, foretold.tone === 'wakes' && settled.trim() !== '');
  const byHub = hubForecast(
    mayChange,
    (agentId) => members[agentId]?.handle,
    // A reply in an exchange here waits for nobody; in a channel even an answer waits its turn.
    (agentId) => (root !== null || room?.kind !== 'channel') && going.has(agentId),
  );
  // Only those that it would call: who is not addressed stays quiet anyway.
  const refused = refusing.filter((id) => foretold.verdicts.get(members[id]?.handle ?? '')?.task === true);
  const seen =
    refused.length === 0 || !room || !foresee
      ? foretold
      : foresee(known, { room, conversationId, root, rootAuthorId, text: settled, attachments, urgent, refusing: refused });
  return byHub.length === 0 ? seen : { ...seen, mayChange: [...seen.mayChange, ...byHub] };
}

/** What decides knows the words of six languages: it is fetched behind what everybody waits for. */
function useForesee(): typeof Foresee | undefined {
  const [foresee, setForesee] = useState<typeof Foresee>();
  useEffect(() => {
    let left = false;
    // Without it nothing is foretold; what is said is heard all the same.
    import('./page-forecast.ts').then((engine) => (left ? undefined : setForesee(() => engine.pageForecast))).catch(() => undefined);
    return () => {
      left = true;
    };
  }, []);
  return foresee;
}

/** What a forecast is made from; the same object until something in it changes. */
export function useKnown(): RoomKnowledge {
  const myId = useSelect((state) => state.myId);
  const members = useSelect((state) => state.members);
  const roles = useSelect((state) => state.roles);
  const agents = useSelect((state) => state.agents);
  const tasks = useSelect((state) => state.tasks);
  const leaves = useSelect((state) => state.leaves);
  const halt = useSelect((state) => state.halt);
  return useMemo(() => ({ myId, members, roles, agents, tasks, leaves, halt }), [myId, members, roles, agents, tasks, leaves, halt]);
}

function invitation(room: Here): string | undefined {
  const agents = room.members.filter((member) => member.kind === 'agent');
  if (agents.length === 0) return undefined;
  if (room.kind === 'dm' && room.members.length === 2) return `A message here wakes ${agentList([agents[0]!.handle])}.`;
  return room.floor === 'open'
    ? '^ calls an agent, @ a person; without a name, up to three agents are asked in turn.'
    : '^ calls an agent, @ a person; the others stay quiet.';
}
