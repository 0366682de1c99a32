import type { Agent, Member } from '@parley/protocol';
import { useMemo } from 'react';
import { useSelect } from '../state/context.ts';

/** The active agents of a conversation, by their handles. */
export function useAgents(conversationId: string): { member: Member; agent: Agent | undefined }[] {
  const memberships = useSelect((state) => state.memberships[conversationId]);
  const members = useSelect((state) => state.members);
  const agents = useSelect((state) => state.agents);
  return useMemo(
    () =>
      (memberships ?? [])
        .flatMap(({ memberId }) => members[memberId] ?? [])
        .filter(({ kind, status }) => kind === 'agent' && status === 'active')
        .sort((a, b) => a.handle.localeCompare(b.handle))
        .map((member) => ({ member, agent: agents[member.id] })),
    [memberships, members, agents],
  );
}
