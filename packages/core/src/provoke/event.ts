// Is this an event, and may it come from there (PRV-1, PRV-2)? Every problem is named at once; what only warns does not stop it.

import { isReserved, PapEvent, plainly, type Problem, problemsOf } from '@parley/protocol';
import { besides, isWalkable, shapeProblems } from './shape.ts';

/** Who hands it in: a monitor outside, the webhook of one that sends alerts, an agent at work, or the platform itself. */
export type EventOrigin = 'outside' | 'webhook' | 'agent' | 'system';

export type CheckedEvent = { ok: true; event: PapEvent; warnings: Problem[] } | { ok: false; problems: Problem[] };

/** Words that tell of a change where a threshold was meant: not wrong, but a trigger on them fires at every tick. */
const onlyMoved = ['changed', 'updated', 'incremented'];

/** Of a type that is not for others to say (PRV-2), wherever they would say it. */
export const onlyTheSystem = 'must not begin with pap.: only the system says that';

/**
 * Whoever knows a schedule could send its next event before it does, and that one would be known already. So names that the
 * platform gives are nobody else's: of schedules, of monitors of absence, and of the ends of invocations.
 */
const isSystemId = (id: string): boolean => /^(?:schedule:|absence:|inv_[^:]*:(?:completed|failed)$)/.test(id);

/** Nor could anybody say the end of an alert before its monitor does: its name can be told from the alert. */
const isAlertId = (id: string): boolean => /^(?:alertmanager|grafana):/.test(id);

/** `already`: what was wrong with it in the form it came in. */
export function checkEvent(value: unknown, origin: EventOrigin, already: readonly Problem[] = []): CheckedEvent {
  const problems = [...already, ...shapeProblems(value)];
  // First of all: what follows walks and copies it.
  if (!isWalkable(problems)) return { ok: false, problems };
  const parsed = PapEvent.safeParse(value, plainly);
  if (!parsed.success) problems.push(...besides(problems, problemsOf(parsed.error)));
  const { id, type } = (value ?? {}) as { id?: unknown; type?: unknown };
  if (typeof id === 'string' && isSystemId(id) && origin !== 'system')
    problems.push({ field: 'id', message: 'must not be one that the system gives: schedule:…, absence:…, or that of an invocation’s end' });
  if (typeof id === 'string' && isAlertId(id) && origin !== 'webhook' && origin !== 'system')
    problems.push({ field: 'id', message: 'must not be that of an alert (alertmanager:…, grafana:…): those come by their webhook' });
  if (typeof type === 'string' && isReserved(type) && origin !== 'system') problems.push({ field: 'type', message: onlyTheSystem });
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

/** Whatever an agent wrote there: it is the platform that knows in which invocation the agent is (PRV-9). */
export function stamped(event: PapEvent, invocationId: string): PapEvent {
  if (event.triggered_by === invocationId) return event;
  const before = stamps.get(event);
  if (before?.triggered_by === invocationId) return before;
  const made = { ...event, triggered_by: invocationId };
  stamps.set(event, made);
  return made;
}
/** However often it is decided on: what was asked about it once is known of the event itself. */
const stamps = new WeakMap<PapEvent, PapEvent>();

/** Which types a source's token may emit: by name, a whole domain or object (`energy.*`), or `*`. The system's never. */
export function mayEmit(allowed: readonly string[], type: string): boolean {
  if (isReserved(type)) return false;
  return allowed.some((one) => one === '*' || one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))));
}
