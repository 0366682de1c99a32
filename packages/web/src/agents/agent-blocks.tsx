import type { Member } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { useAction } from '../lib/use-action.ts';
import { useMe, useSelect, useWorkspace } from '../state/context.ts';
import { calledAs } from '../state/names.ts';
import { mayEditAgent } from '../state/rights.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';

/** Members whose words never wake the agent, for those who may change it (C2A-8). */
export function Blocks({ agent }: { agent: Member }) {
  const me = useMe();
  return mayEditAgent(me, agent) && agent.status === 'active' ? <BlockList agent={agent} /> : null;
}

function BlockList({ agent }: { agent: Member }) {
  const { client } = useWorkspace();
  const members = useSelect((state) => state.members);
  const [blocked, setBlocked] = useState<string[]>([]);
  const [chosen, setChosen] = useState('');
  const memberId = agent.id;
  useEffect(() => {
    client
      .call('listBlocks', { params: { memberId } })
      .then(({ blocks }) => setBlocked(blocks.map((block) => block.memberId)))
      .catch(() => {});
  }, [client, memberId]);
  const block = useAction(async (blockedId: string) => {
    await client.call('blockMember', { params: { memberId, blockedId } });
    setBlocked((before) => [...before.filter((id) => id !== blockedId), blockedId]);
    setChosen('');
  });
  const unblock = useAction(async (blockedId: string) => {
    await client.call('unblockMember', { params: { memberId, blockedId } });
    setBlocked((before) => before.filter((id) => id !== blockedId));
  });
  const others = Object.values(members)
    .filter(({ id, status }) => status === 'active' && id !== memberId && id !== agent.ownerId && !blocked.includes(id))
    .toSorted((a, b) => (a.handle.toLowerCase() < b.handle.toLowerCase() ? -1 : 1));
  return (
    <section aria-label="Blocked members">
      <h3 className="mb-1 text-xs font-medium text-ink-3">{blocked.length === 0 ? 'No blocked member' : 'Blocked members'}</h3>
      <ul className="mb-2 space-y-1.5 empty:hidden">
        {blocked.map((id) => (
          <li key={id} className="flex min-h-8 items-center justify-between gap-2 text-sm">
            <span className="min-w-0 truncate">{calledAs(members[id])}</span>
            <Button disabled={unblock.busy} onClick={() => unblock.act(id)}>
              Unblock
            </Button>
          </li>
        ))}
      </ul>
      <form
        className="flex items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen !== '') block.act(chosen);
        }}
      >
        <select
          aria-label="Member to block"
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
          className="field w-auto flex-1"
        >
          <option value="">Block a member…</option>
          {others.map((member) => (
            <option key={member.id} value={member.id}>
              {calledAs(member)}
            </option>
          ))}
        </select>
        <Button type="submit" disabled={chosen === '' || block.busy}>
          Block
        </Button>
      </form>
      <Problem text={block.error ?? unblock.error} />
    </section>
  );
}
