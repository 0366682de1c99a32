// The workspace's note about the demo story: who plays in it and where. One setting holds it.

import type { Store } from '../store/port.ts';
import { settingOf } from '../views/row-views.ts';

export interface DemoPlayer {
  conversationId: string;
  /** The person who started the demo owns its messages, agents and trigger. */
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

// The texts of the demo story, and its set-up.

export const demoAgents = {
  guide: { handle: 'GUIDE', displayName: 'Guide', about: 'Demo: gets a release out, and delegates what others do better.' },
  scribe: { handle: 'SCRIBE', displayName: 'Scribe', about: 'Demo: writes release notes.' },
  pilot: { handle: 'PILOT', displayName: 'Pilot', about: 'Demo: publishes. Supervised: it needs approval before it changes anything.' },
} as const;

export const channel = { name: 'demo', topic: 'A story with scripted agents. Remove it with one click.' } as const;

export const request = 'please get release 2.4 out: write the note, then publish it.';

export const note = 'Release 2.4: search is twice as fast, and drafts survive a restart.';

export const words = {
  askScribe: (handle: string) => `On it. ^${handle} write a one-line note for release 2.4, please.`,
  askPilot: (handle: string) => `Thanks. ^${handle} publish it, please: “${note}”`,
  published: `Published: “${note}”`,
  done: 'Release 2.4 is out. Scribe wrote the note, you approved it, and Pilot published it.',
  notPublished: 'The note for release 2.4 is written, but not published: the approval was not given.',
  alone: 'The agents of this story are not here any more.',
} as const;

export const event = {
  pap_version: '0.2',
  type: 'demo.shop.error_rate_exceeded',
  source: 'demo.monitor',
  data: {
    summary:
      'The error rate of search is 4.2 % since release 2.4, and its limit is 1 %. Nobody called me: an event woke me. That was the story; *Remove the demo* is above.',
  },
} as const;

export const manifest = { id: 'demo-watch', risk_level: 'low' } as const;
export const trigger = {
  id: 'demo-error-rate',
  match: { type: event.type, filter: [{ path: '$.data.summary', operator: 'contains', value: 'release 2.4' }] },
  agent: manifest.id,
} as const;
