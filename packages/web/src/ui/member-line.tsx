import type { Member } from '@parley/protocol';
import { Avatar } from './avatar.tsx';

/** A member in a list. Those who are gone are kept in view, but greyed. */
export function MemberLine({ member, note }: { member: Member; note?: string }) {
  const gone = member.status !== 'active';
  // An agent that is gone has no status.
  const kept = gone && member.kind === 'agent' ? null : (note ?? null);
  const tags = [member.kind === 'agent' ? 'agent' : null, kept, gone ? member.status : null].filter((tag) => tag !== null);
  return (
    <span className={`flex min-w-0 flex-[1_1_11rem] items-center gap-3 ${gone ? 'opacity-55' : ''}`}>
      <Avatar member={member} size={32} presence />
      <span className="min-w-0 leading-tight">
        <span className="block truncate text-[14.5px] font-medium">{member.displayName}</span>
        <span className="block text-[13px] wrap-break-word text-ink-3">
          {member.kind === 'agent' ? '^' : '@'}
          {member.handle}
          {tags.map((tag) => ` · ${tag}`)}
        </span>
      </span>
    </span>
  );
}
