// The scripted models of the demo story. They decide nothing but their words: tasks, delegation, approval and the floor are
// the hub's own, so the story shows what a real model would meet. Anything outside the script goes to the built-in brain.

import type { Clock } from '../clock.ts';
import { pause } from '../waiting.ts';
import type { Store } from '../store/port.ts';
import type { Brain, TurnOutcome, BrainTurn } from '../brains/brain.ts';
import { type DemoPlayer, readDemo, note, request, words } from './demo.ts';

/** Long enough to read along, short enough that the story takes less than a minute. */
const thinkingMs = 1_800;

interface Parts {
  store: Store;
  clock: Clock;
  builtin: Brain;
}

export function demoBrain({ store, clock, builtin }: Parts): Brain {
  return {
    ...(builtin.isModelless ? { isModelless: true } : {}),
    ...(builtin.estimate ? { estimate: builtin.estimate.bind(builtin) } : {}),
    takesUp: (text) => builtin.takesUp?.(text) ?? false,
    turn: async (turn) => {
      const demo = await readDemo(store);
      const role = demo && roleOf(demo, turn.me.id);
      if (!demo || !role || !isScripted(role, demo, turn)) return builtin.turn(turn);
      const think = () => pause(clock, thinkingMs, turn.signal);
      await think();
      return scripts[role](turn, await handles(store, demo), think);
    },
  };
}

type Role = keyof DemoPlayer['cast'];
type Handles = Record<Role, string>;

const roleOf = (demo: DemoPlayer, agentId: string): Role | undefined =>
  (Object.keys(demo.cast) as Role[]).find((role) => demo.cast[role] === agentId);

/** The guide plays its part in the one request; the others play theirs for the guide. */
const isScripted = (role: Role, demo: DemoPlayer, { task, words: said }: BrainTurn): boolean =>
  role === 'guide' ? said.some(({ kind, text }) => kind === 'request' && text.endsWith(request)) : task.requester_id === demo.cast.guide;

async function handles(store: Store, { cast }: DemoPlayer): Promise<Handles> {
  const rows = await store.rows('members', { id: [cast.guide, cast.scribe, cast.pilot] });
  const of = (id: string): string => rows.find((row) => row.id === id)?.handle ?? '';
  return { guide: of(cast.guide), scribe: of(cast.scribe), pilot: of(cast.pilot) };
}

const scripts: Record<Role, (turn: BrainTurn, handle: Handles, think: () => Promise<void>) => Promise<TurnOutcome>> = {
  guide: async (turn, { scribe, pilot }) => {
    const finished = (handle: string) => turn.given.find(({ agent }) => agent?.handle === handle);
    if (!finished(scribe)) return delegate(turn, words.askScribe(scribe));
    const published = finished(pilot);
    if (!published) return delegate(turn, words.askPilot(pilot));
    return { kind: 'answer', text: published.task.state === 'completed' ? words.done : words.notPublished };
  },
  scribe: () => Promise.resolve({ kind: 'answer', text: note }),
  pilot: async (turn, _handle, think) => {
    // The step changes something, and a supervised agent needs a person's approval for that, so the hub stops it here.
    await turn.step(
      { kind: 'tool', name: 'publish_release_note', readOnly: false, keyed: true, input: { version: '2.4', note } },
      async () => {
        // Long enough to be seen at work.
        await think();
        return 'published';
      },
    );
    return { kind: 'answer', text: words.published };
  },
};

async function delegate(turn: BrainTurn, text: string): Promise<TurnOutcome> {
  const { given } = await turn.say(text);
  return given > 0 ? { kind: 'pause' } : { kind: 'decline', outcome: 'blocked', reason: words.alone };
}
