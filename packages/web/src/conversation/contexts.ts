import { createContext, use } from 'react';

/** What stands beside the conversation, for those inside it that lead there. */
export const PanelsContext = createContext<{ openTasks: () => void }>({ openTasks: () => {} });
export const usePanels = () => use(PanelsContext);

/** Puts a text into the composer, for its writer to look at and send. */
export const ComposeContext = createContext<(text: string) => void>(() => {});
export const useCompose = () => use(ComposeContext);
