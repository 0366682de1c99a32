import { createContext, use } from 'react';

export type DialogName = 'create-channel' | 'browse' | 'start-dm' | 'invite' | 'people' | 'search' | 'device' | 'halt' | 'inbox';

interface Dialogs {
  open: (name: DialogName) => void;
  openSidebar: () => void;
}

export const DialogsContext = createContext<Dialogs>({ open: () => {}, openSidebar: () => {} });
export const useDialogs = (): Dialogs => use(DialogsContext);
