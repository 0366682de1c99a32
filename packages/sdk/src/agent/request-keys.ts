// The idempotency keys of what an agent says.
//
// A handler may be run again from its top: its process was restarted in the middle of a task. The handler may then repeat
// words that it has said before, and they must not be shown twice. So a key is not a random number, but derived from the
// content: the task, the words and, when the same words are said several times, which time it is. A run that says the same
// again is answered with the message that is there; one that says something else says something new. Counting sends alone
// would not do: the hub refuses a key that comes back with other words (`key_reused`), and an agent that thinks with a
// model rarely finds the same words twice.
//
// An answer is another one in each run: the hub gives a task again after an answer only if that was not the end of it, and
// then the same words are meant again.

import { createHash } from 'node:crypto';

export class RequestKeys {
  private readonly taskId: string;
  /** The lease of the event that began the run. */
  private readonly lease: number;
  private readonly times = new Map<string, number>();

  constructor(taskId: string, lease: number) {
    this.taskId = taskId;
    this.lease = lease;
  }

  next(kind: string, text: string, conversationId = ''): string {
    const said = createHash('sha256')
      .update(JSON.stringify([kind, text, conversationId]))
      .digest('base64url')
      .slice(0, 22);
    const n = this.times.get(said) ?? 0;
    this.times.set(said, n + 1);
    return `${this.taskId}:${said}:${kind === 'answer' ? `${n}:${this.lease}` : n}`;
  }
}
