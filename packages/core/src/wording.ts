// What the words of a message say, as far as who is woken depends on them. Each classifier is asked at most once, and only
// where somebody's verdict depends on it: most messages concern nobody.

import type { Address } from './address.ts';
import type { Said } from './attention.ts';
import { isFiller } from './filler.ts';
import { isQuestion } from './question.ts';
import { isStatus } from './status.ts';

/** The text without its addresses: whether there is anything in it to answer. */
export function bare(text: string, found: readonly Address[]): string {
  let rest = '';
  let at = 0;
  for (const { start, end } of found) {
    rest += `${text.slice(at, start)} `;
    at = end;
  }
  return rest + text.slice(at);
}

/** `^ORAC` alone calls, and so does `^ORAC!`; `^ORAC thanks` and `👍` do not. What comes with an attachment has something in it. */
export function saysNothing(text: string, found: readonly Address[], attachments = 0): boolean {
  return attachments === 0 && isFiller(bare(text, found));
}

export type Wording = Pick<Said, 'filler' | 'status' | 'question'>;

/** `asked` holds what the classifiers have said so far. */
export function saying(said: Omit<Said, keyof Wording>, text: string, attachments = 0): { said: Said; asked: Partial<Wording> } {
  const asked: Partial<Wording> = {};
  // A file may hold anything.
  const isStatusLine = (): boolean => (asked.status ??= attachments === 0 && isStatus(text));
  return {
    asked,
    said: {
      ...said,
      get filler() {
        return (asked.filler ??= saysNothing(text, said.addresses, attachments));
      },
      get status() {
        return isStatusLine();
      },
      // Unsure is a question; a status line is sure to be none.
      get question() {
        return (asked.question ??= !isStatusLine() && isQuestion(text));
      },
    },
  };
}
