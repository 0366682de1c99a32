// The demo story: a delegation, an approval and an event, played in a channel of its own. Everything in it is a command of
// the person who started it, under their own rights; only the scripted models are not real.

import { ParleyError } from '@parley/protocol';
import type { Clock } from '../clock.ts';
import { Shares } from '../concurrency-shares.ts';
import { type By, platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Tail } from '../engine/tail.ts';
import type { ProvokeLoader } from '../provoke/compiled-definitions.ts';
import type { PlacedFact, Store } from '../store/port.ts';
import { agentsNamed, firstOwnerToken } from '../store/reads/members.ts';
import { type DemoPlayer, demoObjects, readDemo, demoAgents, channel, event, manifest, request, trigger } from './demo.ts';

type Person = Extract<By, { memberId: string }>;

interface Parts {
  store: Store;
  engine: Engine;
  tail: Tail;
  clock: Clock;
  provoke: ProvokeLoader;
  onError: (error: unknown) => void;
}

/** After the last word, so that the event is seen as something new. */
const eventAfterMs = 2_000;
/** Names that others have taken are passed over, so many times. */
const mostNames = 50;

export class Story {
  private readonly parts: Parts;
  /** Starts and removals one after the other. */
  private readonly acts = new Shares({ own: 1 });
  private cancelEvent: (() => void) | undefined;
  private stopped = false;

  constructor(parts: Parts) {
    this.parts = parts;
    parts.tail.listen((facts) => void this.follow(facts).catch(parts.onError));
  }

  /** Returns the running story, or plays it again when there is none. */
  play(by: Person): Promise<DemoPlayer> {
    return this.acts.run('', async () => {
      await this.parts.engine.submit({ type: 'demo.check', by });
      return (await readDemo(this.parts.store)) ?? (await this.begin(by));
    });
  }

  remove(by: By): Promise<void> {
    return this.acts.run('', async () => {
      await this.parts.engine.submit({ type: 'demo.check', by });
      const demo = await readDemo(this.parts.store);
      if (demo) await this.end(demo, by);
    });
  }

  /** For `parley up --demo`: as the first owner who is in, or once one comes in. */
  async playOnArrival(): Promise<void> {
    const arrived = async (): Promise<boolean> => {
      const token = await firstOwnerToken(this.parts.store);
      if (!token) return false;
      await this.play({ memberId: token.member_id, tokenId: token.id });
      return true;
    };
    if (await arrived()) return;
    let waiting = true;
    this.parts.tail.listen(() => {
      if (!waiting || this.stopped) return;
      arrived().then((is) => (waiting = waiting && !is), this.parts.onError);
    });
  }

  stop(): void {
    this.stopped = true;
    this.cancelEvent?.();
  }

  private async begin(by: Person): Promise<DemoPlayer> {
    const { engine, store } = this.parts;
    const conversationId = await firstFree('name_taken', (suffix) =>
      engine
        .submit({
          type: 'channel.create',
          by,
          ...channel,
          name: channel.name + suffix,
          visibility: 'private',
          floor: 'polite',
          history: 'all',
        })
        .then(({ conversation }) => conversation.id),
    );
    const demo: DemoPlayer = { conversationId, startedBy: by.memberId, cast: { guide: '', scribe: '', pilot: '' }, taskId: null };
    for (const role of ['guide', 'scribe', 'pilot'] as const) {
      demo.cast[role] = await this.agent(by, role, conversationId);
      // Noted as it grows, so that a start that was cut short can be removed.
      await engine.submit({ type: 'demo.note', by, demo });
    }
    await this.watch(by, conversationId);
    const [guide] = await store.rows('members', { id: demo.cast.guide });
    const body = `^${guide!.handle} ${request}`;
    const { message } = await engine.submit({ type: 'message.post', by, conversationId, body, attachmentIds: [] });
    const [task] = await store.rows('tasks', { message_id: message.id });
    const startedDemo = { ...demo, taskId: task?.id ?? null };
    await engine.submit({ type: 'demo.note', by, demo: startedDemo });
    return startedDemo;
  }

  private async agent(by: Person, role: keyof typeof demoAgents, conversationId: string): Promise<string> {
    const { engine } = this.parts;
    const { handle, ...who } = demoAgents[role];
    const id = await firstFree('handle_taken', (suffix) =>
      engine
        .submit({ type: 'member.add', by, kind: 'agent', role: 'member', ...who, handle: handle + suffix })
        .then(({ member }) => member.id),
    );
    await engine.submit({
      type: 'agent.edit',
      by,
      memberId: id,
      change: { brain: 'builtin', mode: role === 'pilot' ? 'supervised' : 'autonomous' },
    });
    await engine.submit({ type: 'conversation.add', by, conversationId, memberId: id });
    return id;
  }

  /** Stores the manifest and the trigger of the story, in place of those of an earlier one. */
  private async watch(by: Person, conversationId: string): Promise<void> {
    const { engine, store } = this.parts;
    const put = async (kind: 'manifest' | 'trigger', id: string, body: object): Promise<void> => {
      const [before] = await store.rows('provoke_objects', { kind, id, removed_at: null });
      await engine.submit({ type: 'provoke.put', by, kind, id, version: before?.version ?? 0, body });
    };
    await put('manifest', demoObjects.manifest, { ...manifest, deliver_to: { conversation: conversationId } });
    await put('trigger', demoObjects.trigger, trigger);
  }

  /** The event follows the end of the guide's task, once. */
  private async follow(facts: readonly PlacedFact[]): Promise<void> {
    if (this.stopped || !facts.some(({ type }) => type.startsWith('task.'))) return;
    const demo = await readDemo(this.parts.store);
    if (!demo?.taskId || !facts.some(({ subject_id }) => subject_id === demo.taskId)) return;
    const [task] = await this.parts.store.rows('tasks', { id: demo.taskId });
    if (this.stopped || this.cancelEvent || task?.state !== 'completed') return;
    this.cancelEvent = this.parts.clock.after(eventAfterMs, () => {
      this.cancelEvent = undefined;
      void this.happen(demo.taskId!).catch(this.parts.onError);
    });
  }

  private async happen(taskId: string): Promise<void> {
    const { engine, clock, provoke } = this.parts;
    if (!provoke.loaded) await provoke.load();
    const happened = { ...event, id: `demo-${taskId}`, time: new Date(clock.now()).toISOString() };
    await engine.submit({ type: 'event.accept', by: platform, event: happened });
  }

  private async end(demo: DemoPlayer, by: By): Promise<void> {
    const { engine, store } = this.parts;
    this.cancelEvent?.();
    this.cancelEvent = undefined;
    if (demo.taskId !== null) await settled('task_over', engine.submit({ type: 'task.stop', by, taskId: demo.taskId }));
    for (const kind of ['trigger', 'manifest'] as const) {
      const id = demoObjects[kind];
      const [row] = await store.rows('provoke_objects', { kind, id, removed_at: null });
      if (row && row.owner_id === demo.startedBy) await engine.submit({ type: 'provoke.remove', by, kind, id, version: row.version });
    }
    const { guide, scribe, pilot } = demo.cast;
    // A handle that an earlier story's agent had is nobody's again: the next one has a number behind it.
    const handles = Array.from({ length: mostNames }, (_, n) => demoObjects.manifest + suffixOf(n + 1));
    const agents = await agentsNamed(store, [guide, scribe, pilot], { handles, ownerId: demo.startedBy });
    for (const { id } of agents) await engine.submit({ type: 'member.erase', by, memberId: id });
    await engine.submit({ type: 'conversation.edit', by, conversationId: demo.conversationId, change: { archived: true } });
    await engine.submit({ type: 'demo.note', by, demo: null });
  }
}

const suffixOf = (n: number): string => (n === 1 ? '' : `-${n}`);

/** The first name that nobody has: as it is, then with a number. */
async function firstFree<T>(taken: string, attempt: (suffix: string) => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await attempt(suffixOf(n));
    } catch (error) {
      if (!(error instanceof ParleyError && error.code === taken) || n === mostNames) throw error;
    }
  }
}

async function settled(code: string, act: Promise<unknown>): Promise<void> {
  await act.catch((error: unknown) => {
    if (!(error instanceof ParleyError && (error.code === code || error.code === 'not_found'))) throw error;
  });
}
