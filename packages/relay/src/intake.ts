// Frames that arrive together are stored together: one transaction and one sync for all of them, then each sender's answer.

import type { RelayRefusal } from '@parley/protocol/relay';
import type { QueueLimits } from './queue-limits.ts';
import type { Acceptance, NewFrame, QueuedFrame, RelayStore } from './store/port.ts';

export type IntakeAnswer = Acceptance | { refused: 'disk_full' };

interface Incoming {
  frame: NewFrame;
  answer: (answer: IntakeAnswer) => void;
}

const mostPerGroup = 256;
/** An acknowledgement that is lost leads to a repeat, which the recipient drops: it may wait for company. */
const acknowledgementDelayMs = 20;

export interface IntakeOptions {
  store: RelayStore;
  limits: QueueLimits;
  onStored: (frame: QueuedFrame) => void;
  onFailure: (error: unknown) => void;
}

export class Intake {
  private readonly options: IntakeOptions;
  private incoming: Incoming[] = [];
  private acknowledged: QueuedFrame[] = [];
  private isRunning = false;
  private timer: NodeJS.Timeout | undefined;
  /** The last group could not be stored. */
  private hasFailed = false;
  /** Callers that wait for so many of the incoming frames, and for what was acknowledged before. */
  private drains: { frames: number; done: () => void }[] = [];

  constructor(options: IntakeOptions) {
    this.options = options;
  }

  add(frame: NewFrame, answer: Incoming['answer']): void {
    this.incoming.push({ frame, answer });
    this.run();
  }

  acknowledge(frames: readonly QueuedFrame[]): void {
    this.acknowledged.push(...frames);
    if (!this.isRunning) this.timer ??= setTimeout(() => this.run(), acknowledgementDelayMs);
  }

  /** Resolves when all that has come is stored and answered. Later frames do not delay it: on a busy relay they never end. */
  drain(): Promise<void> {
    this.run();
    return new Promise((done) => this.drains.push({ frames: this.incoming.length, done }));
  }

  private run(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    void this.storeAll();
  }

  private async storeAll(): Promise<void> {
    // Frames that are being read from other sockets in this turn of the event loop join the group.
    await new Promise((resolve) => setImmediate(resolve));
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.incoming.length > 0 || this.acknowledged.length > 0) {
      const group = this.incoming.splice(0, mostPerGroup);
      const removals = this.acknowledged;
      this.acknowledged = [];
      for (const drain of this.drains) drain.frames -= group.length;
      const drained = this.drains.filter(({ frames }) => frames <= 0);
      const answers = await this.storeGroup(group, removals);
      // Acknowledgements that cannot be stored wait for the next frame: a repeat does no harm, and a shutdown must end.
      if (group.length === 0 && this.hasFailed) break;
      group.forEach(({ answer }, i) => answer(answers[i]!));
      this.drains = this.drains.filter((drain) => !drained.includes(drain));
      for (const { done } of drained) done();
    }
    this.isRunning = false;
    for (const { done } of this.drains.splice(0)) done();
    if (this.incoming.length > 0) this.run();
  }

  private async storeGroup(group: readonly Incoming[], gone: readonly QueuedFrame[]): Promise<IntakeAnswer[]> {
    const { store, limits, onStored, onFailure } = this.options;
    const counted: NewFrame[] = [];
    const judge = (frame: NewFrame): RelayRefusal | undefined => {
      const refusal = limits.refusal(frame);
      if (!refusal) {
        limits.add(frame);
        counted.push(frame);
      }
      return refusal;
    };
    for (const frame of gone) limits.remove(frame);
    try {
      const frames = group.map(({ frame }) => frame);
      const answers = await store.accept(frames, gone, judge);
      this.hasFailed = false;
      for (const [index, answer] of answers.entries()) {
        if ('stored' in answer) onStored(answer.stored);
        // Another process had stored it a moment before.
        else if (counted.includes(frames[index]!)) limits.remove(frames[index]!);
      }
      return answers;
    } catch (error) {
      this.hasFailed = true;
      for (const frame of counted) limits.remove(frame);
      for (const frame of gone) limits.add(frame);
      this.acknowledged.push(...gone);
      onFailure(error);
      // Frames that came meanwhile would overtake those that have to be sent again.
      const later = this.incoming.splice(0);
      setImmediate(() => later.forEach(({ answer }) => answer({ refused: 'disk_full' })));
      return group.map(() => ({ refused: 'disk_full' }));
    }
  }
}
