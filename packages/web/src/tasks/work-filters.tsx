import { useMemo } from 'react';
import { useSelect } from '../state/context.ts';
import { titleOf } from '../state/names.ts';
import { placesToShow, type WorkFilter } from './task-tree.ts';

interface Props {
  filter: WorkFilter;
  onChange: (filter: WorkFilter) => void;
}

const look = 'h-8 max-w-40 min-w-0 truncate rounded-md border border-line bg-canvas px-2 text-[13px] text-ink-2 max-sm:flex-1';

/** Which work to show: what goes on or all of it, of which agent, in which conversation. */
export function WorkFilters({ filter, onChange }: Props) {
  const members = useSelect((state) => state.members);
  const conversations = useSelect((state) => state.conversations);
  const myId = useSelect((state) => state.myId);
  const agents = useMemo(
    () =>
      Object.values(members)
        .filter(({ kind, status }) => kind === 'agent' && status === 'active')
        .sort((a, b) => a.handle.localeCompare(b.handle)),
    [members],
  );
  const places = useMemo(
    () =>
      placesToShow(Object.values(conversations))
        .map((each) => ({ id: each.id, title: `${each.kind === 'channel' ? '#' : ''}${titleOf(each, { members, myId })}` }))
        .sort((a, b) => a.title.localeCompare(b.title)),
    [conversations, members, myId],
  );
  return (
    <fieldset aria-label="Show" className="flex min-w-0 items-center gap-2 max-sm:w-full">
      <select
        aria-label="State"
        className={look}
        value={filter.state}
        onChange={({ target }) => onChange({ ...filter, state: target.value as WorkFilter['state'] })}
      >
        <option value="open">Going on</option>
        <option value="all">All, ended too</option>
      </select>
      <select
        aria-label="Agent"
        className={look}
        value={filter.agentId}
        onChange={({ target }) => onChange({ ...filter, agentId: target.value })}
      >
        <option value="">Every agent</option>
        {agents.map(({ id, handle }) => (
          <option key={id} value={id}>
            ^{handle}
          </option>
        ))}
      </select>
      <select
        aria-label="Conversation"
        className={look}
        value={filter.conversationId}
        onChange={({ target }) => onChange({ ...filter, conversationId: target.value })}
      >
        <option value="">Everywhere</option>
        {places.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </fieldset>
  );
}
