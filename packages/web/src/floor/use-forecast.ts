import { standsInThread } from '@parley/core';
import { useDeferredValue, useMemo } from 'react';
import { useMe, useSelect } from '../state/context.ts';
import { forecast, foretoldByHub, list } from './forecast.ts';
import type { Forecast } from './forecast.ts';
import { askingAny, goingOn, takingPart } from './room.ts';
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

const nothing: Forecast = { tone: 'hint', text: undefined, mayChange: [], doubts: [] };

export function useForecast({ room, conversationId, root, text, attachments, urgent }: Input): Forecast {
  const me = useMe();
  const rootAuthorId = useSelect((state) => state.timelines[room?.id ?? '']?.messages[root ?? '']?.authorId ?? null);
  const tasks = useSelect((state) => state.tasks);
  const agents = useSelect((state) => state.agents);
  const members = useSelect((state) => state.members);
  const roles = useSelect((state) => state.roles);
  const halted = useSelect((state) => state.halt.halted);
  const leaves = useSelect((state) => state.leaves);
  // A long text is read again at every key; the key comes first.
  const settled = useDeferredValue(text);
  const kind = root === null ? (room?.kind ?? 'channel') : 'thread';
  const place = useMemo(() => ({ id: conversationId, kind, rootMessageId: root }), [conversationId, kind, root]);
  const going = useMemo(() => goingOn(place, tasks, me.id), [place, tasks, me.id]);
  const asking = useMemo(() => askingAny(place, tasks, me.id), [place, tasks, me.id]);
  const foretold = useMemo((): Forecast => {
    if (!room) return nothing;
    const ids = new Map(room.members.map((member) => [member.handle, member.id]));
    if (settled.trim() === '' && attachments === 0) {
      const askers = room.members.filter((member) => going.get(member.id)?.uncalled?.continuing === 'asked').map((member) => member.handle);
      if (askers.length === 0) return { ...nothing, text: invitation(room) };
      return { ...nothing, tone: 'wakes', text: `${list(askers)} asked you something: your next message here answers.` };
    }
    const hasLeft = (id: string | undefined): boolean =>
      leaves.some((leave) => leave.memberId === id && [conversationId, room.id].includes(leave.conversationId));
    const partaking = new Set([...takingPart(place, tasks, rootAuthorId, room)].filter((id) => !hasLeft(id)));
    const handles = new Set(Object.values(members).map((member) => member.handle.toLowerCase()));
    const roleHandles = new Set(Object.values(roles).map((role) => role.handle.toLowerCase()));
    // What goes out is trimmed, and four blanks before it would have made it code.
    const cut = settled.length - settled.trimStart().length;
    const seen = forecast({
      room,
      me: me.handle,
      text: settled.trim(),
      attachments,
      urgent,
      continuing: (handle) => going.get(ids.get(handle) ?? '')?.uncalled?.continuing,
      inThread: (handle) => standsInThread(ids.get(handle) ?? '', partaking),
      askingAny: asking,
      status: (handle) => agents[ids.get(handle) ?? '']?.status,
      left: (handle) => hasLeft(ids.get(handle)),
      isMember: (handle) => handles.has(handle.toLowerCase()),
      isRole: (handle) => roleHandles.has(handle.toLowerCase()),
      halted,
    });
    return { ...seen, doubts: seen.doubts.map((doubt) => ({ ...doubt, start: doubt.start + cut, end: doubt.end + cut })) };
  }, [
    room,
    place,
    tasks,
    rootAuthorId,
    going,
    asking,
    agents,
    members,
    roles,
    halted,
    leaves,
    conversationId,
    me.handle,
    settled,
    attachments,
    urgent,
  ]);
  const mayChange = useDryRun(conversationId, settled.trim(), urgent, foretold.tone === 'wakes' && settled.trim() !== '');
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
