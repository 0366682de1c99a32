// The workspace's note about the demo story: who plays in it and where. One setting holds it.

import type { Store } from '../store/port.ts';
import { settingOf } from '../views/settings.ts';

export interface DemoPlayer {
  conversationId: string;
  /** Who started it: the story's messages, agents and trigger are theirs. */
  startedBy: string;
  cast: { guide: string; scribe: string; pilot: string };
  /** The guide's task; the event follows its end. Null until the request is posted. */
  taskId: string | null;
}

export const demoKey = 'demo';
/** Channels of stories that were removed: Work holds nothing of them. */
export const removedDemosKey = 'demo.removed';
export const demoObjects = { manifest: 'demo-watch', trigger: 'demo-error-rate' } as const;

export const readDemo = (store: Store): Promise<DemoPlayer | null> => settingOf<DemoPlayer | null>(store, demoKey, null);

export const removedDemos = async (store: Store): Promise<Set<string>> => new Set(await settingOf<string[]>(store, removedDemosKey, []));
