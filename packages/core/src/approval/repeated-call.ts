// A turn that starts over makes the same calls again. A call with an effect outside must not be repeated (SYS-12).

import { canonical } from '../text/canonical-json.ts';

export interface PastCall {
  name: string;
  /** JSON. */
  input: string;
}

/** Finds the call of the same tool with the same arguments, in any order; -1 if there is none. */
export function indexOfEarlierCall(calls: readonly PastCall[], { name, input }: { name: string; input?: unknown }): number {
  const same = calls.some((past) => past.name === name) ? canonical(input ?? null) : '';
  return calls.findIndex((past) => past.name === name && canonical(JSON.parse(past.input)) === same);
}
