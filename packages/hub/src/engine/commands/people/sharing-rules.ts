// A person's sharing tiers inside the hub, as their own peer reports them (SYS-6, ADR 0023).

import { hubSharing } from '@parley/core/consent';
import type { HubSharing } from '@parley/protocol';
import { type Handler, mustBeSystem } from '../../command.ts';
import { aboutMember, append } from '../../steps/facts/append.ts';

export interface SharingCommands {
  /** The platform sends it; a repetition does no harm. */
  'sharing.set': [{ memberId: string; rules: HubSharing }, void];
}

const setRules: Handler<'sharing.set'> = {
  locks: (c) => [`sharing:${c.memberId}`],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const member = tx.get('members', c.memberId);
    // A report may come after the person has gone; there is nobody to keep it for.
    if (member?.kind !== 'human' || member.status === 'erased') return;
    const before = tx.get('sharing_rules', member.id);
    const data = JSON.stringify(hubSharing(c.rules));
    if (before?.data === data) return;
    const version = (before?.version ?? 0) + 1;
    if (before) tx.update('sharing_rules', before, { data, version, at: tx.now });
    else tx.insert('sharing_rules', { member_id: member.id, data, version, at: tx.now });
    append(tx, { type: 'sharing.changed', ...aboutMember(member.id), data: { version } });
  },
};

export const sharingHandlers = { 'sharing.set': setRules };
