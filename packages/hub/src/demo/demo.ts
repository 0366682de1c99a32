// The workspace's note about the demo story: who plays in it and where. One setting holds it.

import type { Store } from '../store/port.ts';

export interface Demo {
  conversationId: string;
  /** Who started it: the story's messages, agents and trigger are theirs. */
  startedBy: string;
  cast: { guide: string; scribe: string; pilot: string };
  /** The guide's task; the event follows its end. Null until the request is posted. */
  taskId: string | null;
}

export const demoKey = 'demo';
export const demoObjects = { manifest: 'demo-watch', trigger: 'demo-error-rate' } as const;

export async function readDemo(store: Store): Promise<Demo | null> {
  const [row] = await store.rows('settings', { key: demoKey });
  return row ? (JSON.parse(row.value) as Demo | null) : null;
}
