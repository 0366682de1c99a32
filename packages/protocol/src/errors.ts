// Every error code of the hub, in one place. docs/reference/errors.md lists the same ones (a test compares them).
// `retry` says whether the same request may succeed later without being changed.

import { z } from 'zod';

const refusal = (status: number, text: string) => ({ status, retry: false, text });
const retryable = (status: number, text: string) => ({ status, retry: true, text });

export const errorCodes = {
  invalid_request: refusal(400, 'The request does not have the form that this operation takes. `problems` names each field.'),
  malformed_json: refusal(400, 'The body is not valid JSON. Send UTF-8 text, complete, and nested at most 64 levels deep.'),
  unauthenticated: refusal(401, 'The request has no valid session or token. Sign in, or send `authorization: Bearer <token>`.'),
  forbidden: refusal(403, 'You do not have permission to do this. `reason` names the line of the access table that decided.'),
  origin_refused: refusal(403, 'The request came from a page or host name that is not this hub. Open the hub at its own address.'),
  agent_without_task: refusal(403, 'An agent can speak only in a task that it holds.'),
  agent_without_invocation: refusal(403, 'An agent can emit events only in its own invocation.'),
  asked_to_leave: refusal(403, 'The agent was asked to leave this conversation. It returns when somebody calls it by name.'),
  task_of_another: refusal(403, 'The task belongs to another agent.'),
  task_over: refusal(409, 'The task has ended. Nothing more can be posted in it.'),
  task_not_active: refusal(409, 'The agent cannot work on the task now: the task is waiting, or its turn has not begun.'),
  task_elsewhere: refusal(403, 'The task does not let the agent post in this conversation.'),
  must_not_respond: refusal(403, 'The message was not said to the agent. Reply to a message of your task, or post without `replyTo`.'),
  stale_lease: refusal(409, 'Another runner holds the lease of this task.'),
  already_claimed: refusal(409, 'Another agent has already claimed this.'),
  not_offered: refusal(403, 'The task was not offered to this agent.'),
  already_assigned: refusal(409, 'The agent is already working on this message.'),
  own_message: refusal(409, 'The agent wrote this message. Its own messages do not wake it.'),
  adds_nothing: refusal(409, 'The message adds nothing new for the other agent. Answer, decline or stay silent.'),
  agent_busy: retryable(409, 'The agent already has as many turns here as it may have at once.'),
  composing: retryable(409, 'The requester may still be writing. The turn begins when they stop.'),
  halted: retryable(423, 'All agents are stopped. An owner or admin can resume them.'),
  confirm_all: refusal(409, '^ALL would wake many agents. Send it again with `confirmAll` to confirm.'),
  budget_exhausted: refusal(429, 'Budget exhausted. `reason` names the budget.'),
  outside_task: refusal(
    403,
    'The agent cannot read this in its task: the requester, or somebody who will hear the answer, may not read it.',
  ),
  needs_approval: refusal(
    403,
    'This needs a person’s approval: the agent’s mode requires it, or the agent has read text from outside its requester’s trust.',
  ),
  not_shared: refusal(403, 'The text contains a private value that some of its readers may not see. `reason` names the field.'),
  unseen: refusal(
    409,
    'The list shows only part of this call. Read all of it with GET /checkpoints/:checkpointId, and approve it with its `digest` as `seen`.',
  ),
  not_expired: refusal(409, 'Only an expired invocation can be retried.'),
  not_in_force: refusal(409, 'The trigger, or the manifest it wakes, was switched off or removed.'),
  in_folder: refusal(409, 'Files in the hub’s data folder define this. Edit it there.'),
  not_found: refusal(404, 'Not found, or you may not see it.'),
  handle_taken: refusal(409, 'Another member or team role has this handle.'),
  name_taken: refusal(409, 'The name or ID is taken. Choose another one.'),
  archived: refusal(409, 'The conversation is archived. Unarchive it first.'),
  already_deleted: refusal(409, 'The message was deleted.'),
  last_owner: refusal(409, 'A workspace needs at least one active owner.'),
  key_reused: refusal(409, 'This idempotency key was used for a different request. Send a new key.'),
  version_conflict: refusal(409, 'It has changed since you read it. Read it again, then repeat your change.'),
  link_opened: refusal(409, 'The link was opened in another browser tab. `reason` says when. Answer there, or ask for a new link.'),
  link_spent: refusal(410, 'The one-time link was used, has expired, or never existed. Ask for a new one.'),
  too_large: refusal(413, 'The body, frame or attachment is larger than the limit.'),
  unsupported_media: refusal(415, 'This operation does not accept the content type of the body.'),
  rate_limited: retryable(429, 'Too many requests. Wait for the number of seconds in `retry-after`.'),
  already_answered: refusal(409, 'The prompt was answered before. The first answer counts.'),
  calendar_conflict: refusal(409, 'Your calendar has something else then. Confirm with `anyway` to keep both.'),
  peer_refused: refusal(409, 'Your peer refused this. The message says why.'),
  peer_occupied: retryable(409, 'Another process runs your peer. Stop it there, or use it there.'),
  internal: retryable(500, 'The hub failed. Its log has the details.'),
  corrupt: refusal(500, 'A stored row does not match its checksum. Run `npx parley verify`.'),
  unavailable: retryable(503, 'The hub is starting or stopping, or its database does not answer. Try again.'),
  peer_unavailable: retryable(503, 'The hub’s peers do not answer, or this hub runs none. Try again.'),
  storage_full: retryable(507, 'The disk is full. Nothing was stored.'),
};
export type ErrorCode = keyof typeof errorCodes;

/** The task is not this runner's any more. */
export const lostTaskCodes: ReadonlySet<ErrorCode> = new Set(['stale_lease', 'task_over', 'task_of_another', 'agent_without_task']);

/** The turn is not this runner's any more, or everything is stopped: no other call would do better. */
export const lostTurnCodes: ReadonlySet<ErrorCode> = new Set([...lostTaskCodes, 'task_not_active', 'halted']);

/** Another agent was first, or the offer is gone: an expected end of a race. */
export const lostClaimCodes: ReadonlySet<ErrorCode> = new Set([...lostTurnCodes, 'already_claimed', 'not_offered', 'not_found']);

export interface Problem {
  field: string;
  message: string;
}

/** An error that may cross the wire. Local failures never use this class, so nothing internal leaks by accident. */
export class ParleyError extends Error {
  readonly code: ErrorCode;
  readonly problems: Problem[];
  readonly reason: string | undefined;

  constructor(code: ErrorCode, message?: string, extra: { problems?: Problem[]; reason?: string } = {}) {
    super(message ?? errorCodes[code].text);
    this.name = 'ParleyError';
    this.code = code;
    this.problems = extra.problems ?? [];
    this.reason = extra.reason;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }

  shouldRetry(): boolean {
    return errorCodes[this.code].retry;
  }

  toWire(): WireError {
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(this.reason === undefined ? {} : { reason: this.reason }),
        ...(this.problems.length === 0 ? {} : { problems: this.problems }),
      },
    };
  }
}

/** Problems in one line, for people. */
export const problemText = (problems: readonly Problem[]): string =>
  problems.map(({ field, message }) => `${field}: ${message}`).join('; ');

export const invalidRequest = (problems: readonly Problem[]): ParleyError =>
  new ParleyError('invalid_request', problemText(problems), { problems: [...problems] });

export const WireError = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    reason: z.string().optional(),
    problems: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  }),
});
export type WireError = z.infer<typeof WireError>;

/** One readable problem per field, from a zod parse that failed `plainly`. */
export const problemsOf = (error: z.ZodError, at = ''): Problem[] => problemsIn(error.issues, at).slice(0, mostProblems);

/** Further problems are left out: a reader with this many reads the first ones, and each costs time to describe. */
const mostProblems = 100;

function problemsIn(issues: readonly z.core.$ZodIssue[], at: string): Problem[] {
  return issues.flatMap((issue) => {
    const path = [at, ...issue.path.map(String)].filter((part) => part !== '').join('.');
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n');
      return issue.keys
        .slice(0, mostProblems)
        .map((key, i) => ({ field: path === '' ? key : `${path}.${key}`, message: messages[i] ?? issue.message }));
    }
    const meant = issue.code === 'invalid_union' ? meantOf(issue.errors) : undefined;
    return meant ? problemsIn(meant, path) : [{ field: path || '(body)', message: issue.message }];
  });
}

/** Of several forms the one that it has, but for something further in: the problem there is the one to report. */
function meantOf(forms: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const near = forms.filter((issues) => issues.length > 0 && issues.every(({ path }) => path.length > 0));
  return near.length === 1 ? near[0] : undefined;
}
