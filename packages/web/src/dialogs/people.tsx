import type { CreatedLink, Member } from '@parley/protocol';
import { useState } from 'react';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { conversationPath, navigate } from '../lib/router.ts';
import { useAction } from '../lib/use-action.ts';
import { useMe, useSelect, useWorkspace } from '../state/context.ts';
import { calledAs } from '../state/names.ts';
import { activityWords } from '../tasks/task-words.ts';
import { IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { MemberLine } from '../ui/member-line.tsx';
import { Problem } from '../ui/problem.tsx';
import { AccessLinkDialog } from './access-link.tsx';
import { useDialogs } from './context.ts';
import { FolderMistakes } from './folder-mistakes.tsx';
import { Roles } from './team-roles.tsx';

const Arrange = lazyComponent(async () => (await import('../peers/negotiations/arrange.tsx')).Arrange);

export function PeopleDialog({ onClose }: { onClose: () => void }) {
  const { client, refreshConversation } = useWorkspace();
  const members = useSelect((state) => state.members);
  const agents = useSelect((state) => state.agents);
  const tasks = useSelect((state) => state.tasks);
  const dialogs = useDialogs();
  const me = useMe();
  const [arranging, setArranging] = useState<Member | null>(null);
  const [filter, setFilter] = useState('');
  const [link, setLink] = useState<{ member: Member; link: CreatedLink } | null>(null);
  const write = useAction(async (member: Member) => {
    const dm = await client.call('openDm', { body: { memberIds: [member.id] } });
    await refreshConversation(dm.id);
    onClose();
    navigate(conversationPath(dm.id));
  });
  const letIn = useAction(async (member: Member) => {
    setLink({ member, link: await client.call('createSignInLink', { body: { memberId: member.id } }) });
  });
  const wanted = filter.trim().toLowerCase();
  const shown = Object.values(members)
    .filter((member) => `${member.displayName} ${member.handle}`.toLowerCase().includes(wanted))
    .sort((a, b) => Number(a.status !== 'active') - Number(b.status !== 'active') || a.displayName.localeCompare(b.displayName));
  const steward = me.role === 'owner' || me.role === 'admin';

  if (arranging) return <Arrange withWhom={{ address: arranging.handle, name: arranging.displayName }} onClose={onClose} />;
  if (link) return <AccessLinkDialog member={link.member} first={link.link} onBack={() => setLink(null)} onClose={onClose} />;
  return (
    <Dialog wide title="Members" onClose={onClose}>
      <input
        className="field mb-3"
        placeholder="Find by name"
        aria-label="Find by name"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <Problem text={write.error ?? letIn.error} />
      {steward && <FolderMistakes />}
      <ul className="-mx-2">
        {shown.map((member) => {
          const other = member.id !== me.id && member.status === 'active';
          return (
            <li key={member.id} className="flex items-center gap-1 rounded-lg px-2 py-1.5 hover:bg-hover">
              <MemberLine
                member={member}
                note={
                  member.kind === 'agent'
                    ? activityWords(agents[member.id], tasks)
                    : member.id === me.id
                      ? `${member.role}, you`
                      : member.role
                }
              />
              {member.kind === 'agent' && (
                <IconButton icon="info" label={`About ${calledAs(member)}`} onClick={() => dialogs.openAgent(member.id)} />
              )}
              {other && steward && member.kind === 'human' && (
                <IconButton icon="link" label={`Sign-in link for ${member.displayName}`} onClick={() => letIn.act(member)} />
              )}
              {other && member.kind === 'human' && (
                <IconButton icon="handshake" label={`Arrange something with ${member.displayName}`} onClick={() => setArranging(member)} />
              )}
              {other && <IconButton icon="thread" label={`Message ${member.displayName}`} onClick={() => write.act(member)} />}
            </li>
          );
        })}
      </ul>
      <Roles />
    </Dialog>
  );
}
