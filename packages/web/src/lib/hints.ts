// Capabilities are introduced when they help, and each of them once (A2C-39). This browser remembers where it said which.

import { recall, remember } from './local-storage.ts';

export type HintName = 'agents' | 'always' | 'calendar' | 'defaults' | 'download' | 'group' | 'memory' | 'spaces';

const keyOf = (name: HintName): string => `hint.${name}`;
const dismissed = 'dismissed';

/** It stays where it was first shown, such as in one negotiation, until it is dismissed; anywhere else it does not come again. */
export function isHintDue(name: HintName, subject: string): boolean {
  const kept = recall(keyOf(name));
  return kept === null || kept === subject;
}

export const keepHint = (name: HintName, subject: string): void => remember(keyOf(name), subject);
export const dismissHint = (name: HintName): void => remember(keyOf(name), dismissed);
