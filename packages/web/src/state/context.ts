import { createContext, use } from 'react';
import { useStore } from '../lib/store.ts';
import type { State } from './model.ts';
import type { Workspace } from './workspace.ts';

export const WorkspaceContext = createContext<Workspace | null>(null);

export function useWorkspace(): Workspace {
  const workspace = use(WorkspaceContext);
  if (!workspace) throw new Error('used outside a workspace');
  return workspace;
}

/** `select` must return what is in the state, not something built again. */
export function useSelect<T>(select: (state: State) => T): T {
  return useStore(useWorkspace().store, select);
}

export const useMe = () => useSelect((state) => state.members[state.myId]!);
export const useMember = (id: string | null) => useSelect((state) => (id === null ? undefined : state.members[id]));
export const useConversation = (id: string | null) => useSelect((state) => (id === null ? undefined : state.conversations[id]));
