import { createContext, use } from 'react';

export type DialogName =
  | 'create-channel'
  | 'browse'
  | 'start-dm'
  | 'invite'
  | 'people'
  | 'search'
  | 'device'
  | 'halt'
  | 'inbox'
  | 'agent-dms'
  | 'keys'
  | 'audit'
  | 'tool-servers';

interface Dialogs {
  open: (name: DialogName) => void;
  openSidebar: () => void;
  /** Who an agent is and what it does. */
  openAgent: (memberId: string) => void;
}

export const DialogsContext = createContext<Dialogs>({ open: () => {}, openSidebar: () => {}, openAgent: () => {} });
export const useDialogs = (): Dialogs => use(DialogsContext);
