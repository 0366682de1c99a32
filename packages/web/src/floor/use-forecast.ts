import { useDeferredValue, useMemo } from 'react';
import { useConversation, useMe, useSelect } from '../state/context.ts';
import { forecast, foretoldByHub, list } from './forecast.ts';
import type { Forecast } from './forecast.ts';
import { goingOn } from './room.ts';
import type { Here } from './room.ts';
import { useDryRun } from './use-dry-run.ts';

interface Input {
  room: Here | undefined;
  conversationId: string | null;
  inThread: boolean;
  text: string;
  attachments: number;
}

const nothing: Forecast = { tone: 'hint', text: undefined, mayChange: [], doubts: [] };

export function useForecast({ room, conversationId, inThread, text, attachments }: Input): Forecast {
  const me = useMe();
  const rootMessageId = useConversation(conversationId)?.rootMessageId ?? null;
  const tasks = useSelect((state) => state.tasks);
  const agents = useSelect((state) => state.agents);
  const members = useSelect((state) => state.members);
  const halted = useSelect((state) => state.halt.halted);
  const leaves = useSelect((state) => state.leaves);
  const homeId = useConversation(conversationId)?.parentId ?? conversationId;
  // A long text is read again at every key; the key comes first.
  const settled = useDeferredValue(text);
  const kind = inThread ? 'thread' : (room?.kind ?? 'channel');
  const going = useMemo(
    () => goingOn({ id: conversationId, kind, rootMessageId }, tasks, me.id),
    [conversationId, kind, rootMessageId, tasks, me.id],
  );
  const foretold = useMemo((): Forecast => {
    if (!room) return nothing;
    const ids = new Map(room.members.map((member) => [member.handle, member.id]));
    if (settled.trim() === '' && attachments === 0) {
      const asking = room.members.filter((member) => going.get(member.id)?.uncalled?.continuing === 'asked').map((member) => member.handle);
      if (asking.length === 0) return { ...nothing, text: invitation(room) };
      return { ...nothing, tone: 'wakes', text: `${list(asking)} asked you something: your next message here answers.` };
    }
    const handles = new Set(Object.values(members).map((member) => member.handle.toLowerCase()));
    // What goes out is trimmed, and four blanks before it would have made it code.
    const cut = settled.length - settled.trimStart().length;
    const seen = forecast({
      room,
      me: me.handle,
      text: settled.trim(),
      attachments,
      continuing: (handle) => going.get(ids.get(handle) ?? '')?.uncalled?.continuing,
      status: (handle) => agents[ids.get(handle) ?? '']?.status,
      left: (handle) =>
        leaves.some((leave) => leave.memberId === ids.get(handle) && [conversationId, homeId].includes(leave.conversationId)),
      isMember: (handle) => handles.has(handle.toLowerCase()),
      halted,
    });
    return { ...seen, doubts: seen.doubts.map((doubt) => ({ ...doubt, start: doubt.start + cut, end: doubt.end + cut })) };
  }, [room, going, agents, members, halted, leaves, conversationId, homeId, me.handle, settled, attachments]);
  const mayChange = useDryRun(conversationId, settled.trim(), foretold.tone === 'wakes' && settled.trim() !== '');
  const byHub = foretoldByHub(
    mayChange,
    (agentId) => members[agentId]?.handle,
    // What goes on with the talk here waits for nobody; in a channel even an answer waits its turn.
    (agentId) => kind !== 'channel' && going.has(agentId),
  );
  return byHub.length === 0 ? foretold : { ...foretold, mayChange: [...foretold.mayChange, ...byHub] };
}

function invitation(room: Here): string | undefined {
  const agents = room.members.filter((member) => member.kind === 'agent');
  if (agents.length === 0) return undefined;
  if (room.kind === 'dm' && room.members.length === 2) return `What you write here wakes ${list([agents[0]!.handle])}.`;
  return '^ calls an agent, @ a person; the others stay quiet.';
}
