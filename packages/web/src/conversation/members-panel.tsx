import type { Member, MyConversation } from '@parley/protocol';
import { useEffect, useMemo, useState } from 'react';
import { useDialogs } from '../dialogs/context.ts';
import { errorText } from '../lib/error-text.ts';
import { useAction } from '../lib/use-action.ts';
import { useMe, useSelect, useWorkspace } from '../state/context.ts';
import { calledAs, titleOf } from '../state/names.ts';
import { mayDigest, mayIn } from '../state/rights.ts';
import { activityWords } from '../tasks/task-words.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { MemberLine } from '../ui/member-line.tsx';
import { Problem } from '../ui/problem.tsx';
import { DigestSelect } from './digest-select.tsx';
import { PanelHeader } from './panel-header.tsx';

export function MembersPanel({ conversation, onClose }: { conversation: MyConversation; onClose: () => void }) {
  const { client, refreshMemberships } = useWorkspace();
  const me = useMe();
  const dialogs = useDialogs();
  const members = useSelect((state) => state.members);
  const agents = useSelect((state) => state.agents);
  const tasks = useSelect((state) => state.tasks);
  const memberships = useSelect((state) => state.memberships[conversation.id]);
  const leaves = useSelect((state) => state.leaves);
  const place = useSelect((state) => `${conversation.kind === 'channel' ? '#' : ''}${titleOf(conversation, state)}`);
  const [failed, setFailed] = useState<string | null>(null);
  const [filter, setFilter] = useState('');
  const [digests, setDigests] = useState<ReadonlyMap<string, number | null>>(new Map());
  useEffect(() => {
    refreshMemberships(conversation.id).catch((error: unknown) => setFailed(errorText(error)));
    client
      .call('listDigests', { params: { conversationId: conversation.id } })
      .then(({ digests: found }) => setDigests(new Map(found.map(({ memberId, everyMs }) => [memberId, everyMs]))))
      .catch((error: unknown) => setFailed(errorText(error)));
  }, [client, conversation.id, refreshMemberships]);

  const params = { conversationId: conversation.id };
  const change = useAction(async (member: Member, into: boolean) => {
    if (into) await client.call('addToConversation', { params, body: { memberId: member.id } });
    else await client.call('removeFromConversation', { params: { ...params, memberId: member.id } });
    await refreshMemberships(conversation.id);
  });

  const left = new Map(leaves.flatMap((leave) => (leave.conversationId === conversation.id ? [[leave.memberId, leave.askedBy]] : [])));
  const send = useAction(async (member: Member, away: boolean) => {
    if (away) await client.call('askToLeave', { params, body: { memberId: member.id } });
    else await client.call('callBack', { params: { ...params, memberId: member.id } });
  });

  const tell = useAction(async (member: Member, everyMs: number | null) => {
    const set = await client.call('setDigest', { params: { ...params, memberId: member.id }, body: { everyMs } });
    setDigests((before) => new Map(before).set(member.id, set.everyMs));
  });

  // One inside the hub takes no turn for it.
  const isRemote = (member: Member) => member.kind === 'agent' && agents[member.id]?.brain === 'remote';

  const { inside, outside } = useMemo(() => {
    const roles = new Map(memberships?.map((item) => [item.memberId, item.role]));
    const byName = (a: Member, b: Member) =>
      Number(a.status !== 'active') - Number(b.status !== 'active') || a.displayName.localeCompare(b.displayName);
    const all = Object.values(members).sort(byName);
    return {
      inside: all.filter((member) => roles.has(member.id)).map((member) => ({ member, role: roles.get(member.id)! })),
      outside: all.filter((member) => !roles.has(member.id) && member.status === 'active'),
    };
  }, [members, memberships]);
  const channel = conversation.kind === 'channel' && conversation.archivedAt === null;
  const mayAdd = channel && mayIn('conversation.add', me, conversation);
  const mayRemove = channel && mayIn('conversation.remove', me, conversation);
  const pair = conversation.kind === 'dm' && conversation.memberIds.length < 3;
  const maySend = !pair && conversation.archivedAt === null && mayIn('conversation.dismiss', me, conversation);
  const wanted = filter.trim().toLowerCase();
  const found =
    wanted === '' ? [] : outside.filter((member) => `${member.displayName} ${member.handle}`.toLowerCase().includes(wanted)).slice(0, 8);
  return (
    <>
      <PanelHeader title="Members" place={place} onClose={onClose} />
      <div className="min-h-0 flex-1 overflow-y-auto px-3 py-3">
        {mayAdd && outside.length > 0 && (
          <div className="mb-3 px-2">
            <input
              className="field"
              placeholder="Add someone by name"
              aria-label="Add someone by name"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
            <ul className="-mx-2 mt-1">
              {found.map((member) => (
                <li key={member.id} className="flex items-center rounded-lg px-2 py-1.5 hover:bg-hover">
                  <MemberLine member={member} />
                  <IconButton
                    icon="plus"
                    label={`Add ${member.displayName}`}
                    disabled={change.busy}
                    onClick={() => {
                      setFilter('');
                      change.act(member, true);
                    }}
                  />
                </li>
              ))}
            </ul>
            {wanted !== '' && found.length === 0 && <p className="mt-2 text-sm text-ink-3">Nobody else matches.</p>}
          </div>
        )}
        <Problem text={failed ?? change.error ?? send.error ?? tell.error} />
        <h3 className="px-2 py-1 text-xs font-medium text-ink-3">{inside.length === 1 ? '1 member' : `${inside.length} members`}</h3>
        <ul>
          {inside.map(({ member, role }) => (
            <li key={member.id} className="flex flex-wrap items-center gap-y-1 rounded-lg px-2 py-1.5 hover:bg-hover">
              <MemberLine
                member={member}
                note={
                  member.kind === 'agent'
                    ? left.has(member.id)
                      ? `asked to leave by ${calledAs(members[left.get(member.id) ?? ''])}`
                      : activityWords(agents[member.id], tasks)
                    : role === 'moderator'
                      ? `${member.role}, moderator`
                      : member.role
                }
              />
              {member.kind === 'agent' && (
                <IconButton small icon="info" label={`About ${calledAs(member)}`} onClick={() => dialogs.openAgent(member.id)} />
              )}
              {channel && isRemote(member) && member.status === 'active' && mayDigest(me, member, conversation) && (
                <DigestSelect
                  agent={member}
                  everyMs={digests.get(member.id) ?? null}
                  disabled={tell.busy}
                  onChange={(everyMs) => tell.act(member, everyMs)}
                />
              )}
              {maySend && member.kind === 'agent' && member.status === 'active' && (
                <Button
                  disabled={send.busy}
                  aria-label={left.has(member.id) ? `Call back: ^${member.handle}` : `Ask to leave: ^${member.handle}`}
                  onClick={() => send.act(member, !left.has(member.id))}
                  className="min-h-7 shrink-0 px-2.5 text-[13px]"
                >
                  {left.has(member.id) ? 'Call back' : 'Ask to leave'}
                </Button>
              )}
              {mayRemove && member.id !== me.id && (
                <RemoveButton name={member.displayName} disabled={change.busy} onRemove={() => change.act(member, false)} />
              )}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** Asks by changing into what it does. */
function RemoveButton({ name, disabled, onRemove }: { name: string; disabled: boolean; onRemove: () => void }) {
  const [sure, setSure] = useState(false);
  if (!sure) return <IconButton small icon="close" label={`Remove ${name}`} disabled={disabled} onClick={() => setSure(true)} />;
  return (
    <Button look="danger" autoFocus disabled={disabled} onClick={onRemove} onBlur={() => setSure(false)} className="min-h-7 px-2.5">
      Remove
    </Button>
  );
}
