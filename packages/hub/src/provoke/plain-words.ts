// What the platform can say of an event by itself, with no model: what was observed, field by field.

import type { Manifest, PapEvent } from '@parley/protocol';

/** Where values are asked for, the event's own are handed on; whether they fit is judged as any answer is. */
export function plainWords({ type, source, time, data }: PapEvent, output: Manifest['output']): string {
  if (output.type === 'structured') return JSON.stringify(data);
  const lines = Object.entries(data).map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [`${type} (${source}, ${time})`, ...lines].join('\n');
}
