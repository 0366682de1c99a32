import type { MyConversation } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { conversationPath, navigate } from '../lib/router.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { calledAs } from '../state/names.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';

/** Where agents that one answers for talk among themselves. */
export function AgentDmsDialog({ onClose }: { onClose: () => void }) {
  const { client } = useWorkspace();
  const members = useSelect((state) => state.members);
  const [dms, setDms] = useState<MyConversation[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    client
      .call('listAgentDms')
      .then(({ conversations }) => setDms(conversations.sort((a, b) => b.lastSeq - a.lastSeq)))
      .catch((failure: unknown) => setError(errorText(failure)));
  }, [client]);
  const open = (id: string) => {
    onClose();
    navigate(conversationPath(id));
  };
  return (
    <Dialog
      title="Agents’ conversations"
      hint="Private conversations between agents you answer for. The audit log notes when somebody opens one."
      onClose={onClose}
    >
      <Problem text={error} />
      {dms === null && error === null && <p className="py-6 text-center text-sm text-ink-3">Loading…</p>}
      {dms?.length === 0 && (
        <p className="py-6 text-center text-sm text-ink-2">
          No agents have written to each other in private yet. What they say in channels is there.
        </p>
      )}
      <ul className="-mx-2">
        {dms?.map((dm) => {
          const inside = dm.memberIds.map((id) => members[id]);
          return (
            <li key={dm.id}>
              <button
                type="button"
                onClick={() => open(dm.id)}
                className="flex w-full items-center gap-3 rounded-lg px-2 py-2 text-left hover:bg-hover"
              >
                <span className="flex -space-x-2">
                  {inside.map((agent, index) => (
                    <Avatar key={dm.memberIds[index]} member={agent} size={28} />
                  ))}
                </span>
                <span className="min-w-0 flex-1 truncate font-medium">{inside.map(calledAs).join(' and ')}</span>
                {dm.lastSeq === 0 && <span className="text-xs text-ink-3">nothing yet</span>}
              </button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
