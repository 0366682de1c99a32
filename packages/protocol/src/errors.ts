// Every error code of the hub, in one place. docs/reference/errors.md lists the same ones (a test compares them).
// `retry` says whether the same request may succeed later without being changed.

import { z } from 'zod';

export const errorCodes = {
  invalid_request: {
    status: 400,
    retry: false,
    text: 'The request does not have the form that this operation takes. `problems` names each field.',
  },
  malformed_json: {
    status: 400,
    retry: false,
    text: 'The body is not valid JSON. Send UTF-8 text, complete, and nested at most 64 levels deep.',
  },
  unauthenticated: {
    status: 401,
    retry: false,
    text: 'The request has no valid session or token. Sign in, or send `authorization: Bearer <token>`.',
  },
  forbidden: {
    status: 403,
    retry: false,
    text: 'You do not have permission to do this. `reason` names the line of the access table that decided.',
  },
  origin_refused: {
    status: 403,
    retry: false,
    text: 'The request came from a page or host name that is not this hub. Open the hub at its own address.',
  },
  agent_without_task: { status: 403, retry: false, text: 'An agent can speak only in a task that it holds.' },
  agent_without_invocation: { status: 403, retry: false, text: 'An agent can emit events only in its own invocation.' },
  asked_to_leave: {
    status: 403,
    retry: false,
    text: 'The agent was asked to leave this conversation. It returns when somebody calls it by name.',
  },
  task_of_another: { status: 403, retry: false, text: 'The task belongs to another agent.' },
  task_over: { status: 409, retry: false, text: 'The task has ended. Nothing more can be posted in it.' },
  task_not_active: {
    status: 409,
    retry: false,
    text: 'The agent cannot work on the task now: the task is waiting, or its turn has not begun.',
  },
  task_elsewhere: { status: 403, retry: false, text: 'The task does not let the agent post in this conversation.' },
  must_not_respond: {
    status: 403,
    retry: false,
    text: 'The message was not said to the agent. Reply to a message of your task, or post without `replyTo`.',
  },
  stale_lease: { status: 409, retry: false, text: 'Another runner holds the lease of this task.' },
  already_claimed: { status: 409, retry: false, text: 'Another agent has already claimed this.' },
  not_offered: { status: 403, retry: false, text: 'The task was not offered to this agent.' },
  already_assigned: { status: 409, retry: false, text: 'The agent is already working on this message.' },
  own_message: { status: 409, retry: false, text: 'The agent wrote this message. Its own messages do not wake it.' },
  adds_nothing: {
    status: 409,
    retry: false,
    text: 'The message adds nothing new for the other agent. Answer, decline or stay silent.',
  },
  agent_busy: { status: 409, retry: true, text: 'The agent already has as many turns here as it may have at once.' },
  composing: { status: 409, retry: true, text: 'The requester may still be writing. The turn begins when they stop.' },
  halted: { status: 423, retry: true, text: 'All agents are stopped. An owner or admin can resume them.' },
  confirm_all: { status: 409, retry: false, text: '^ALL would wake many agents. Send it again with `confirmAll` to confirm.' },
  budget_exhausted: { status: 429, retry: false, text: 'Budget exhausted. `reason` names the budget.' },
  outside_task: {
    status: 403,
    retry: false,
    text: 'The agent cannot read this in its task: the requester, or somebody who will hear the answer, may not read it.',
  },
  needs_approval: {
    status: 403,
    retry: false,
    text: 'This needs a person’s approval: the agent’s mode requires it, or the agent has read text from outside its requester’s trust.',
  },
  not_shared: {
    status: 403,
    retry: false,
    text: 'The text contains a private value that some of its readers may not see. `reason` names the field.',
  },
  unseen: {
    status: 409,
    retry: false,
    text: 'The list shows only part of this call. Read all of it with GET /checkpoints/:checkpointId, and approve it with its `digest` as `seen`.',
  },
  not_expired: { status: 409, retry: false, text: 'Only an expired invocation can be retried.' },
  not_in_force: { status: 409, retry: false, text: 'The trigger, or the manifest it wakes, was switched off or removed.' },
  in_folder: { status: 409, retry: false, text: 'Files in the hub’s data folder define this. Edit it there.' },
  not_found: { status: 404, retry: false, text: 'Not found, or you may not see it.' },
  handle_taken: { status: 409, retry: false, text: 'Another member or team role has this handle.' },
  name_taken: { status: 409, retry: false, text: 'The name or ID is taken. Choose another one.' },
  archived: { status: 409, retry: false, text: 'The conversation is archived. Unarchive it first.' },
  already_deleted: { status: 409, retry: false, text: 'The message was deleted.' },
  last_owner: { status: 409, retry: false, text: 'A workspace needs at least one active owner.' },
  key_reused: { status: 409, retry: false, text: 'This idempotency key was used for a different request. Send a new key.' },
  version_conflict: { status: 409, retry: false, text: 'It has changed since you read it. Read it again, then repeat your change.' },
  link_opened: {
    status: 409,
    retry: false,
    text: 'The link was opened in another browser tab. `reason` says when. Answer there, or ask for a new link.',
  },
  link_spent: { status: 410, retry: false, text: 'The one-time link was used, has expired, or never existed. Ask for a new one.' },
  too_large: { status: 413, retry: false, text: 'The body, frame or attachment is larger than the limit.' },
  unsupported_media: { status: 415, retry: false, text: 'This operation does not accept the content type of the body.' },
  rate_limited: { status: 429, retry: true, text: 'Too many requests. Wait for the number of seconds in `retry-after`.' },
  already_answered: { status: 409, retry: false, text: 'The prompt was answered before. The first answer counts.' },
  calendar_conflict: { status: 409, retry: false, text: 'Your calendar has something else then. Confirm with `anyway` to keep both.' },
  peer_refused: { status: 409, retry: false, text: 'Your peer refused this. The message says why.' },
  peer_occupied: { status: 409, retry: true, text: 'Another process runs your peer. Stop it there, or use it there.' },
  internal: { status: 500, retry: true, text: 'The hub failed. Its log has the details.' },
  corrupt: { status: 500, retry: false, text: 'A stored row does not match its checksum. Run `npx parley verify`.' },
  unavailable: { status: 503, retry: true, text: 'The hub is starting or stopping, or its database does not answer. Try again.' },
  peer_unavailable: { status: 503, retry: true, text: 'The hub’s peers do not answer, or this hub runs none. Try again.' },
  storage_full: { status: 507, retry: true, text: 'The disk is full. Nothing was stored.' },
} as const;
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
