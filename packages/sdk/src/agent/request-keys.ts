// The idempotency keys of an agent's words.
//
// A new process runs a handler again from its top, and the handler may repeat words that it has said before. They must not
// be shown twice, so a key is derived from the content: the task, the words, and how often they were said. A run that says
// the same again gets the existing message; a run that says something else makes a new one. A count of messages would not
// do: the hub refuses a key that comes back with other words (`key_reused`), and a model rarely repeats its exact words.
//
// The key of an answer also holds the lease. The hub gives a task again after an answer only if the task goes on, and then
// the same words are a new answer.

import { createHash } from 'node:crypto';

/** `lease`: the lease of the event that began the run. */
export function requestKeys(taskId: string, lease: number): (kind: string, text: string, conversationId?: string) => string {
  const countByDigest = new Map<string, number>();
  return (kind, text, conversationId = '') => {
    const content = JSON.stringify([kind, text, conversationId]);
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22);
    const n = countByDigest.get(digest) ?? 0;
    countByDigest.set(digest, n + 1);
    return `${taskId}:${digest}:${kind === 'answer' ? `${n}:${lease}` : n}`;
  };
}
