import type { Message, MyConversation } from '@parley/protocol';
import { useState } from 'react';
import { useRoom } from '../forecast/context.ts';
import { useAction } from '../lib/use-action.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { activityWords } from '../tasks/task-words.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { MemberLine } from '../ui/member-line.tsx';
import { Problem } from '../ui/problem.tsx';

interface Props {
  message: Message;
  /** The conversation it was said in, or whose thread it was said in. */
  home: MyConversation;
  onClose: () => void;
}

/** Assigns a posted message to an agent as work. */
export function AssignDialog({ message, home, onClose }: Props) {
  const { client } = useWorkspace();
  const { room } = useRoom(home);
  const states = useSelect((state) => state.agents);
  const tasks = useSelect((state) => state.tasks);
  const [urgent, setUrgent] = useState(false);
  // One try has one key: pressed twice, or sent again after a lost answer, it is one task.
  const [key] = useState(() => crypto.randomUUID());
  const { act, busy, error } = useAction(async (memberId: string) => {
    const body = { memberId, ...(urgent ? { urgent } : {}) };
    await client.call('assignMessage', { params: { messageId: message.id }, body }, { idempotencyKey: `${key}:${memberId}:${urgent}` });
    onClose();
  });
  const agents = (room?.members ?? []).filter((member) => member.kind === 'agent' && member.id !== message.authorId);
  return (
    <Dialog
      title="Assign to…"
      hint="The agent you choose gets it as a task, with you as the requester."
      onClose={onClose}
      footer={<Button onClick={onClose}>Cancel</Button>}
    >
      <blockquote className="line-clamp-3 border-l-2 border-line pl-3 text-sm text-ink-2">{message.body || 'A file'}</blockquote>
      <label className="mt-3 flex items-center gap-2 text-sm">
        <input type="checkbox" checked={urgent} onChange={(event) => setUrgent(event.target.checked)} />
        Urgent: before its other work
      </label>
      <div className="mt-2">
        <Problem text={error} />
      </div>
      {room && agents.length === 0 && <p className="mt-2 text-sm text-ink-2">No agent here can take it.</p>}
      <ul aria-label="Agents" className="-mx-2 mt-1">
        {agents.map((agent) => (
          <li key={agent.id}>
            <button
              type="button"
              disabled={busy}
              onClick={() => act(agent.id)}
              className="flex min-h-11 w-full items-center rounded-lg px-2 py-1.5 text-left hover:bg-hover disabled:opacity-50"
            >
              <MemberLine member={agent} note={activityWords(states[agent.id], tasks)} />
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
