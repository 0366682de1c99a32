import type { MyConversation, Task } from '@parley/protocol';
import { useId, useRef, useState } from 'react';
import { useRoom } from '../forecast/context.ts';
import { useAction } from '../lib/use-action.ts';
import { useWorkspace } from '../state/context.ts';
import { withFetched } from '../state/work.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { GrowingArea } from '../ui/growing-area.tsx';
import { Problem } from '../ui/problem.tsx';
import { Select } from '../ui/select.tsx';

/** `home`: whose agents it could be given to instead; where that is not known, it goes on with its own. */
export function RedirectDialog({ task, home, onClose }: { task: Task; home: MyConversation | undefined; onClose: () => void }) {
  const { client, store } = useWorkspace();
  const area = useRef<HTMLTextAreaElement>(null);
  const areaId = useId();
  const [instruction, setInstruction] = useState('');
  const [agentId, setAgentId] = useState(task.agentId ?? '');
  const ready = instruction.trim() !== '';
  const { act, busy, error } = useAction(async () => {
    const body = { instruction, ...(agentId === '' || agentId === task.agentId ? {} : { agentId }) };
    const next = await client.call('redirectTask', { params: { taskId: task.id }, body });
    store.update((state) => withFetched(state, [next]));
    onClose();
  });
  return (
    <Dialog
      title="Redirect this task"
      hint="Everybody here sees the new instruction. With another agent this task is stopped, and one for that agent begins in the same chain."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!ready || busy} onClick={act}>
            Redirect
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <div>
          <label htmlFor={areaId} className="mb-1.5 block text-sm font-medium">
            New instruction
          </label>
          <GrowingArea
            ref={area}
            id={areaId}
            value={instruction}
            onChange={(event) => setInstruction(event.target.value)}
            maxLength={10_000}
            className="field max-h-60 min-h-20 resize-none"
          />
        </div>
        {home && <AgentChoice task={task} home={home} agentId={agentId} onChange={setAgentId} />}
        <Problem text={error} />
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  task: Task;
  home: MyConversation;
  agentId: string;
  onChange: (agentId: string) => void;
}

function AgentChoice({ task, home, agentId, onChange }: ChoiceProps) {
  const { room } = useRoom(home);
  const agents = room?.members.filter((member) => member.kind === 'agent') ?? [];
  return (
    <Select label="Agent" value={agentId} onChange={onChange}>
      {task.agentId === null && <option value="">Whichever takes it first</option>}
      {agents.map((agent) => (
        <option key={agent.id} value={agent.id}>
          ^{agent.handle} {agent.id === task.agentId ? '(goes on)' : ''}
        </option>
      ))}
    </Select>
  );
}
