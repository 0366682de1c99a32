// Is this an event, and may it come from there (PRV-1, PRV-2)? Every problem is named at once; what only warns does not stop it.

import {
  isReserved,
  memberSource,
  PapEvent,
  plainErrors,
  type Problem,
  problemsOf,
  senderIn,
  type Absence,
  type Trigger,
} from '@parley/protocol';
import { otherProblems, isWalkable, shapeProblems } from './value-limits.ts';
import { type Holder, isBounded } from '../../invocation/owned-definitions.ts';

/**
 * The sender of an event: a monitor outside, the webhook of a program that sends alerts, a person, an agent at work, or the
 * platform itself.
 */
export type EventOrigin = 'outside' | 'webhook' | 'member' | 'agent' | 'system';

export type CheckedEvent = { ok: true; event: PapEvent; warnings: Problem[] } | { ok: false; problems: Problem[] };

/** Words that tell of a change where a threshold was meant: not wrong, but a trigger on them fires at every tick. */
const onlyMoved = ['changed', 'updated', 'incremented'];

/** The problem of a type that others may not emit (PRV-2), through any door. */
export const onlyTheSystem = 'must not begin with pap.: only the system says that';

/** The problem of a source that only the hub may set. */
export const onlyAMember = 'must not begin with member: the hub sets that for events that a member sends';

/**
 * Anyone who knows a schedule could send its next event before it does, and the real one would be a duplicate. So the ids that
 * the platform gives are reserved: of schedules, of monitors of absence, and of the ends of invocations.
 */
const isSystemId = (id: string): boolean => /^(?:schedule:|absence:|inv_[^:]*:(?:completed|failed)$)/.test(id);

/** The end of an alert has an ID that follows from the alert: nobody may send it before the monitor does. */
const isAlertId = (id: string): boolean => /^(?:alertmanager|grafana):/.test(id);

/** `already`: problems of the event's original form. */
export function checkEvent(value: unknown, origin: EventOrigin, already: readonly Problem[] = []): CheckedEvent {
  const problems = [...already, ...shapeProblems(value)];
  // First of all: what follows walks and copies it.
  if (!isWalkable(problems)) return { ok: false, problems };
  const parsed = PapEvent.safeParse(value, plainErrors);
  if (!parsed.success) problems.push(...otherProblems(problems, problemsOf(parsed.error)));
  const { id, type, source } = (value ?? {}) as { id?: unknown; type?: unknown; source?: unknown };
  if (typeof id === 'string' && isSystemId(id) && origin !== 'system')
    problems.push({ field: 'id', message: 'must not be reserved: schedule:…, absence:… and the ids of invocation ends are the system’s' });
  if (typeof id === 'string' && isAlertId(id) && origin !== 'webhook' && origin !== 'system')
    problems.push({ field: 'id', message: 'must not be that of an alert (alertmanager:…, grafana:…): those come by their webhook' });
  if (typeof type === 'string' && isReserved(type) && origin !== 'system') problems.push({ field: 'type', message: onlyTheSystem });
  if (typeof source === 'string' && senderIn(source) !== undefined && origin !== 'member' && origin !== 'system')
    problems.push({ field: 'source', message: onlyAMember });
  if (problems.length > 0) return { ok: false, problems };
  // The value itself, not the copy of it that the parser made.
  return { ok: true, event: value as PapEvent, warnings: warningsOf(value as PapEvent) };
}

function warningsOf({ type }: PapEvent): Problem[] {
  const condition = type.slice(type.lastIndexOf('.') + 1);
  return onlyMoved.includes(condition)
    ? [{ field: 'type', message: `says that something ${condition}, not which threshold was crossed` }]
    : [];
}

/** The platform knows the invocation of an agent, and replaces what the agent wrote there (PRV-9). */
export function stampInvocation(event: PapEvent, invocationId: string): PapEvent {
  if (event.triggered_by === invocationId) return event;
  const before = stamps.get(event);
  if (before?.triggered_by === invocationId) return before;
  const made = { ...event, triggered_by: invocationId };
  stamps.set(event, made);
  return made;
}

/** The member who sends it is its source, and no other: without one it is set, and another is a problem. */
export function sentBy(memberId: string, value: unknown): { value: unknown; problems: Problem[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { value, problems: [] };
  const own = memberSource(memberId);
  const { source } = value as { source?: unknown };
  if (source === own) return { value, problems: [] };
  if (source !== undefined)
    return {
      value,
      problems: [{ field: 'source', message: `must be left out, or ${own}: only a monitor with a source token names another` }],
    };
  return { value: withSource(value, own), problems: [] };
}

/** The same object for the same event, however often it is decided on. */
export function withSource(value: object, source: string): object {
  const before = sourced.get(value);
  if (before) return before;
  const made = { ...value, source };
  sourced.set(value, made);
  return made;
}
const sourced = new WeakMap<object, object>();

/** An event that is decided several times keeps its stamped copy, and with it the remembered answers about it. */
const stamps = new WeakMap<PapEvent, PapEvent>();

/** Which types a source's token may emit: by name, a whole domain or object (`energy.*`), or `*`. The system's never. */
export function mayEmit(allowed: readonly string[], type: string): boolean {
  if (isReserved(type)) return false;
  return allowed.some((one) => one === '*' || one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))));
}

// The right to say that an event happened (PRV-5): monitors and the operator to every trigger, a member to their own
// triggers. Another member's trigger takes their events only where it says so.

/** `owner`: whose trigger or monitor it is. `sender`: the member whose event it is; undefined: no member's. */
export const accepts = ({ accept }: Pick<Trigger | Absence, 'accept'>, owner: string, sender: string | undefined): boolean =>
  sender === undefined || sender === owner || accept === 'members';

/**
 * The member who answers for an event: the one who sends it, or the owner of the schedule, absence monitor or invocation
 * that emits it, because members write those themselves. Objects of owners and admins speak for the workspace, and so do
 * the platform's own events. `maker`: that owner.
 */
export function answerableMember({ source, type }: PapEvent, maker: Holder | undefined): string | undefined {
  const sender = senderIn(source);
  if (sender !== undefined) return sender;
  return maker !== undefined && !isReserved(type) && isBounded(maker) ? maker.id : undefined;
}
