// Every error code of the hub, in one place. docs/reference/errors.md lists the same ones (a test compares them).
// `retry` says whether the same request may succeed later without being changed.

import { z } from 'zod';

export const errorCodes = {
  invalid_request: { status: 400, retry: false, text: 'The request is not of the form this operation takes; `problems` names each field.' },
  malformed_json: { status: 400, retry: false, text: 'The body is not JSON: not UTF-8, cut short, or nested more than 64 levels deep.' },
  unauthenticated: { status: 401, retry: false, text: 'No valid session or token came with the request.' },
  forbidden: { status: 403, retry: false, text: 'You may not do this; `reason` says which line of the access table decided.' },
  origin_refused: { status: 403, retry: false, text: 'The request came from a page or a host name that is not this hub.' },
  agent_without_task: { status: 403, retry: false, text: 'An agent speaks only inside a task it holds.' },
  agent_without_invocation: { status: 403, retry: false, text: 'An agent emits events only inside an invocation of its own.' },
  asked_to_leave: { status: 403, retry: false, text: 'The agent was asked to leave here; it comes back when it is called by name.' },
  task_of_another: { status: 403, retry: false, text: 'The task belongs to another agent.' },
  task_over: { status: 409, retry: false, text: 'The task has ended; after the end nothing more is said in it.' },
  task_not_active: { status: 409, retry: false, text: 'The task is not the agent’s to work on now: it waits, or its turn has not begun.' },
  task_elsewhere: { status: 403, retry: false, text: 'The task does not let the agent speak in this conversation.' },
  stale_lease: { status: 409, retry: false, text: 'Another runner holds the task now.' },
  already_claimed: { status: 409, retry: false, text: 'Another agent was first.' },
  not_offered: { status: 403, retry: false, text: 'The task is not offered to this agent.' },
  already_assigned: { status: 409, retry: false, text: 'The agent is at this message already.' },
  own_message: { status: 409, retry: false, text: 'The agent said this itself; it is not woken by its own words.' },
  adds_nothing: {
    status: 409,
    retry: false,
    text: 'It says nothing to the other agent that was not said before: answer, decline or stay silent.',
  },
  agent_busy: { status: 409, retry: true, text: 'The agent has as many turns here as it may have at once.' },
  composing: { status: 409, retry: true, text: 'Whoever asked may still be writing; the turn begins when they have stopped.' },
  halted: { status: 423, retry: true, text: 'Everything is stopped; an owner or admin can release it.' },
  confirm_all: { status: 409, retry: false, text: '^ALL would wake many agents; send it again with `confirmAll` to say yes.' },
  budget_exhausted: { status: 429, retry: false, text: 'What may be spent is spent; `reason` says of which budget.' },
  outside_task: {
    status: 403,
    retry: false,
    text: 'Inside this task the agent may not read that: its requester, or someone who will hear the answer, may not.',
  },
  needs_yes: {
    status: 403,
    retry: false,
    text: 'A person has to say yes to this first: the agent’s mode asks for it, or it has read words from outside its requester’s trust.',
  },
  not_shared: {
    status: 403,
    retry: false,
    text: 'The words hold something of a person that not everyone who would hear it may know; `reason` names the field.',
  },
  unseen: {
    status: 409,
    retry: false,
    text: 'Approval refused: the list shows only a part of this call. Read all of it with GET /checkpoints/:checkpointId, and send its `digest` as `seen`.',
  },
  not_lapsed: { status: 409, retry: false, text: 'The invocation does not wait to be asked for again.' },
  not_in_force: { status: 409, retry: false, text: 'The trigger, or the agent it wakes, was switched off or removed.' },
  in_folder: { status: 409, retry: false, text: 'It is kept in files in the data folder of the hub, and edited there.' },
  not_found: { status: 404, retry: false, text: 'There is no such thing, or you may not see it.' },
  handle_taken: { status: 409, retry: false, text: 'Another member or role has this handle.' },
  name_taken: { status: 409, retry: false, text: 'Another channel has this name.' },
  archived: { status: 409, retry: false, text: 'The conversation is archived; unarchive it first.' },
  already_deleted: { status: 409, retry: false, text: 'The message was deleted.' },
  last_owner: { status: 409, retry: false, text: 'A workspace keeps at least one active owner.' },
  key_reused: { status: 409, retry: false, text: 'This idempotency key was used for a different request.' },
  version_conflict: { status: 409, retry: false, text: 'It was changed in between; read it again.' },
  link_spent: { status: 410, retry: false, text: 'The one-time link was used, has expired, or never existed.' },
  too_large: { status: 413, retry: false, text: 'The body, frame or attachment is over the limit.' },
  unsupported_media: { status: 415, retry: false, text: 'The body is not of a content type this operation takes.' },
  rate_limited: { status: 429, retry: true, text: 'Too many requests; `retry-after` says how many seconds to wait.' },
  internal: { status: 500, retry: true, text: 'The hub failed; the log has the details under the request id.' },
  corrupt: { status: 500, retry: false, text: 'A stored row does not match its checksum; run `parley verify`.' },
  unavailable: { status: 503, retry: true, text: 'The hub is starting, stopping, or its database does not answer.' },
  storage_full: { status: 507, retry: true, text: 'The disk is full; nothing was stored.' },
} as const;
export type ErrorCode = keyof typeof errorCodes;

/** The turn is not this runner's any more, or everything is stopped: no other call would do better. */
export const lostTurnCodes: ReadonlySet<ErrorCode> = new Set([
  'stale_lease',
  'task_over',
  'task_not_active',
  'task_of_another',
  'agent_without_task',
  'halted',
]);

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

/** More are not told: whoever has this many reads the first ones, and each of them costs whoever tells it. */
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

/** Of several forms the one that it has, but for something further in: what is wrong there is to be told. */
function meantOf(forms: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const near = forms.filter((issues) => issues.length > 0 && issues.every(({ path }) => path.length > 0));
  return near.length === 1 ? near[0] : undefined;
}
