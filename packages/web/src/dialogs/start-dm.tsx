import { useState } from 'react';
import { conversationPath, navigate } from '../lib/router.ts';
import { useAction } from '../lib/use-action.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { MemberLine } from '../ui/member-line.tsx';
import { Problem } from '../ui/problem.tsx';

const most = 8;

export function StartDm({ onClose }: { onClose: () => void }) {
  const { client, refreshConversation } = useWorkspace();
  const members = useSelect((state) => state.members);
  const myId = useSelect((state) => state.myId);
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { act, busy, error } = useAction(async (memberIds: readonly string[]) => {
    const dm = await client.call('openDm', { body: { memberIds: [...memberIds] } });
    await refreshConversation(dm.id);
    onClose();
    navigate(conversationPath(dm.id));
  });
  const wanted = filter.trim().toLowerCase();
  const found = Object.values(members)
    .filter((member) => member.id !== myId && member.status === 'active')
    .filter((member) => `${member.displayName} ${member.handle}`.toLowerCase().includes(wanted))
    .sort((a, b) => a.displayName.localeCompare(b.displayName));
  const toggle = (id: string) => setChosen((ids) => (ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id].slice(0, most)));
  return (
    <Dialog
      title="New direct message"
      hint={`One person or agent, or a small group of up to ${most + 1}.`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={chosen.length === 0 || busy} onClick={() => act(chosen)}>
            {chosen.length > 1 ? `Start with ${chosen.length}` : 'Start'}
          </Button>
        </>
      }
    >
      <input
        className="field mb-3"
        placeholder="Find by name"
        aria-label="Find by name"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
        onKeyDown={(event) => {
          const [only] = found;
          if (event.key === 'Enter' && chosen.length === 0 && only && wanted !== '') act([only.id]);
        }}
      />
      <Problem text={error} />
      <ul className="-mx-2">
        {found.map((member) => (
          <li key={member.id}>
            <label className="flex cursor-pointer items-center gap-3 rounded-lg px-2 py-1.5 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent-ink">
              <input type="checkbox" className="sr-only" checked={chosen.includes(member.id)} onChange={() => toggle(member.id)} />
              <MemberLine member={member} />
              <Icon name="check" className={chosen.includes(member.id) ? 'text-accent-ink' : 'invisible'} />
            </label>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className="py-6 text-center text-sm text-ink-3">{wanted ? 'Nobody matches.' : 'Nobody else is here yet.'}</p>
      )}
    </Dialog>
  );
}
