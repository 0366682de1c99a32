// A turn that starts over makes the same calls again. A call with an effect outside is not repeated for that (SYS-12).

import { canonical } from './approval.ts';

export interface PastCall {
  name: string;
  /** JSON. */
  input: string;
}

/** Which of these calls this one is again: the same tool with the same arguments, in whatever order they stand. -1: none of them. */
export function indexOfEarlierCall(made: readonly PastCall[], { name, input }: { name: string; input?: unknown }): number {
  const same = made.some((one) => one.name === name) ? canonical(input ?? null) : '';
  return made.findIndex((one) => one.name === name && canonical(JSON.parse(one.input)) === same);
}
