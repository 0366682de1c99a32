// Runs invocations that are queued. One that a hub left running counts as an attempt, and goes on as the manifest says (PRV-15).

import { setImmediate as turn } from 'node:timers/promises';
import { type Manifest, type PapEvent, ParleyError } from '@parley/protocol';
import type { SecretStore } from '../agents/secrets.ts';
import { isAway, ErrorOnce } from '../engine/background-failures.ts';
import { type CommandOf, platform } from '../engine/command.ts';
import type { BegunInvocation } from '../engine/commands/invocations/invocation-runs.ts';
import type { Engine } from '../engine/engine.ts';
import type { KnownCost } from '../engine/steps/invocations/costs.ts';
import { journalId } from '../engine/steps/invocations/journal.ts';
import { factData, type FactType } from '../store/fact-data.ts';
import type { PlacedFact } from '../store/port.ts';
import { readColumns } from '../store/where.ts';
import type { McpClients } from '../tools/mcp-clients.ts';
import { Journal, type Ledger } from '../executor/journal.ts';
import { LeaseRunner, type LeaseRunnerOptions } from '../executor/lease-runner.ts';
import { runAttempt, outputJudge } from './attempt.ts';
import type { ProvokeLoader } from './compiled-definitions.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';

export interface RunnerOptions extends LeaseRunnerOptions {
  engine: Engine;
  keys: Pick<SecretStore, 'keyFor'>;
  outbound: Outbound;
  servers: Pick<McpClients, 'tools' | 'call'>;
  provoke: ProvokeLoader;
}

type HeldInvocation = { invocationId: string; lease: number };
type EndCommand = CommandOf<'invocation.end' | 'invocation.yield'>;

/** A monitor that goes wild does not take the hub with it: the rest waits in its rows. */
const atOnce = 16;
const tellAgainMs = 1000;
const retryAllMs = 300_000;
/** The invocation is somebody else's by now, or over. */
const overtaken: ReadonlySet<string> = new Set(['stale_lease', 'not_found']);
const isOvertaken = (error: unknown): boolean => error instanceof ParleyError && overtaken.has(error.code);
/** Facts that say that an invocation is to begin, or no longer. */
const news: ReadonlySet<FactType> = new Set(['invocation.started', 'invocation.queued', 'invocation.running', 'invocation.cancelled']);

export class Runner extends LeaseRunner<RunnerOptions> {
  /** The runner has looked at the invocations that an earlier hub left running. */
  private tookOver = false;
  /** Invocations that could not be begun, as a row they hang on is damaged: they hold up no other. */
  private readonly refused = new Set<string>();
  private readonly errors: ErrorOnce;
  /** Nothing begins while everything is stopped, so new work is no reason to look. */
  private isHalted = false;
  private releases = 0;
  private queue = Promise.resolve();
  private cancelRetryAll: (() => void) | undefined;

  constructor(options: RunnerOptions) {
    super(options);
    this.errors = new ErrorOnce(options.onError);
  }

  protected hear(fact: PlacedFact): void {
    if (!news.has(fact.type)) return;
    const running = factData(fact, 'invocation.running');
    if (running) this.overtake(fact.subject_id!, running.lease);
    if (fact.type === 'invocation.cancelled') this.runs.get(fact.subject_id!)?.abort.abort(new Error('cancelled'));
    if (!this.isHalted) this.look();
  }

  protected override lookAtAll(): void {
    this.isHalted = false;
    this.releases += 1;
    super.lookAtAll();
  }

  protected async beginDue(): Promise<void> {
    const { store } = this.options;
    const open = await readColumns(store, 'invocations', ['id'], { state: ['queued', 'running'] }, { limit: 1 });
    if (open.length === 0) return;
    if (!(await this.leads())) {
      // Should this hub lead again, another has begun some of them meanwhile.
      this.tookOver = false;
      this.refused.clear();
      return;
    }
    if (!this.tookOver) await this.takeOver();
    for (let last = -1; this.runs.size < atOnce && !this.stopping;) {
      const room = atOnce - this.runs.size;
      const most = room + Math.min(this.refused.size, 1000);
      const rows = await readColumns(
        store,
        'invocations',
        ['id', 'seq'],
        { state: 'queued', seq: { '>': last } },
        { order: 'seq', limit: most },
      );
      const free = rows.filter(({ id }) => !this.refused.has(id)).slice(0, room);
      // Together, so that their beginnings share a commit; and all are through before any failure is reported.
      const outcomes = await Promise.allSettled(free.map(({ id }) => this.begin(id)));
      const failed = outcomes.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason as Error;
      if (outcomes.some((one) => one.status === 'fulfilled' && one.value === 'halted')) return;
      if (free.length < room && rows.length < most) return;
      last = (free.length === room ? free : rows).at(-1)!.seq;
    }
  }

  /** Takes over attempts whose runner died in the middle of them. */
  private async takeOver(): Promise<void> {
    const { rows: running, damaged } = await this.options.store.intact('invocations', { state: 'running' }, { order: 'id' });
    for (const error of damaged) this.retryAllLater(error);
    await Promise.all(
      running
        .filter(({ id }) => !this.runs.has(id))
        .map(({ id, lease }) =>
          this.fail({ invocationId: id, lease }, 'crashed', 'It was interrupted.', (end) => this.options.engine.submit(end)),
        ),
    );
    this.tookOver = true;
  }

  private async begin(invocationId: string): Promise<'begun' | 'halted' | 'refused'> {
    const { releases } = this;
    try {
      const { begun } = await this.options.engine.submit({ type: 'invocation.begin', by: platform, invocationId });
      if (begun)
        this.run(
          invocationId,
          begun.invocation.lease,
          (signal) => this.runToEnd(begun, signal),
          () => this.look(),
        );
      return 'begun';
    } catch (error) {
      if (error instanceof ParleyError && error.code === 'halted') {
        // A release has its own fact, which may have come before this answer.
        this.isHalted = releases === this.releases;
        return 'halted';
      }
      if (isAway(error)) throw error;
      this.refused.add(invocationId);
      this.retryAllLater(error);
      return 'refused';
    }
  }

  /**
   * Somebody may have mended the row: everything that was refused is tried once more, and so are invocations that were left
   * running.
   */
  private retryAllLater(error: unknown): void {
    this.errors.report(error);
    this.cancelRetryAll ??= this.options.clock.after(retryAllMs, () => {
      this.cancelRetryAll = undefined;
      this.refused.clear();
      this.tookOver = false;
      this.look();
    });
  }

  private async runToEnd(
    { invocation, manifest: text, event, sender, owner, finished }: BegunInvocation,
    signal: AbortSignal,
  ): Promise<void> {
    const { servers, clock, keys, outbound, provoke, onError } = this.options;
    const heldAttempt = { invocationId: invocation.id, lease: invocation.lease };
    const journal = new Journal({ ledger: this.ledger(heldAttempt), turnId: journalId(invocation), before: finished, signal });
    // A model call that came to no end: its cost is known to the last token, or it was not made.
    const knownCosts = (): KnownCost[] =>
      journal.charges().flatMap(({ n, known: { micros, estimated } }) => (estimated ? [] : [{ n, micros }]));
    try {
      await this.queueUp();
      const manifest = JSON.parse(text) as Manifest;
      // Mostly the stored version is the one in force, which is compiled already.
      const compiled = (await provoke.load()).manifest({ id: manifest.id, enabled: 1, body: text });
      if (!compiled) throw new Error(`The manifest ${manifest.id} does not compile`);
      const result = await runAttempt(
        { ...heldAttempt, triggerId: invocation.trigger_id, manifest, event: JSON.parse(event) as PapEvent, sender, owner, signal },
        {
          servers,
          clock,
          keyFor: (name, host) => keys.keyFor(name, host),
          outbound,
          judge: outputJudge(provoke.matcher, compiled, invocation.owner_id),
          step: (...step) => journal.step(...step),
          reserve: journal.reserve,
        },
      );
      const outcome = result.ok
        ? { ok: true as const, output: { value: result.output, json: JSON.stringify(result.output) } }
        : { ok: false as const, end: result.end, error: result.error };
      await this.submitEnd({ type: 'invocation.end', by: platform, ...heldAttempt, known: knownCosts(), outcome });
    } catch (error) {
      if (isOvertaken(error)) return;
      // Stopped by somebody who knows, it is given back; what failed by itself is an attempt.
      const wasTakenAway = signal.aborted || (error instanceof ParleyError && error.code === 'halted');
      if (!wasTakenAway) onError(error);
      const submit = (command: EndCommand): Promise<void> => this.submitEnd({ ...command, known: knownCosts() });
      const ended = wasTakenAway ? this.giveBack(heldAttempt, submit) : this.fail(heldAttempt, 'failed', 'The hub failed.', submit);
      await ended.catch(onError);
    }
  }

  /** Each is read in a turn of its own: many begin at once, with an event of up to a megabyte each, and others wait meanwhile. */
  private queueUp(): Promise<void> {
    return (this.queue = this.queue.then(() => turn()));
  }

  private ledger(held: HeldInvocation): Ledger {
    const { engine } = this.options;
    const at = { by: platform, ...held } as const;
    return {
      intend: (step) => engine.submit({ type: 'invocation.intend', ...at, ...step, known: false }),
      repeat: (step) => engine.submit({ type: 'invocation.intend', ...at, ...step, known: true }),
      done: (step) => engine.submit({ type: 'invocation.done', ...at, ...step }),
      reserve: ({ n }, micros) => engine.submit({ type: 'invocation.reserve', ...at, n, micros }),
    };
  }

  private async giveBack(held: HeldInvocation, submit: (command: EndCommand) => Promise<unknown>): Promise<void> {
    try {
      await submit({ type: 'invocation.yield', by: platform, ...held });
    } catch (refused) {
      if (isOvertaken(refused)) return;
      if (isAway(refused)) throw refused;
      this.options.onError(refused);
      await this.fail(held, 'crashed', 'It was interrupted.', submit);
    }
  }

  /** Where what should follow is refused, nothing follows: it has failed, and does not run for ever (PRV-14, PRV-15). Rejects only while the database is away. */
  private async fail(
    held: HeldInvocation,
    end: 'failed' | 'crashed',
    error: string,
    submit: (command: EndCommand) => Promise<unknown>,
  ): Promise<void> {
    const outcome = { ok: false, end, error } as const;
    for (const how of [outcome, { ...outcome, last: true } as const]) {
      try {
        await submit({ type: 'invocation.end', by: platform, ...held, outcome: how });
        return;
      } catch (refused) {
        if (isOvertaken(refused)) return;
        if (isAway(refused)) throw refused;
        // An invocation that cannot even be ended holds up no other, and is retried later.
        this.retryAllLater(refused);
      }
    }
  }

  /** The outcome is not lost because the database is away for a while: it is recorded when that is back. */
  private async submitEnd(command: EndCommand): Promise<void> {
    for (;;) {
      try {
        await this.options.engine.submit(command);
        return;
      } catch (error) {
        if (!isAway(error) || this.stopping) throw error;
      }
      await new Promise<void>((resolve) => this.options.clock.after(tellAgainMs, resolve));
    }
  }

  override async stop(): Promise<void> {
    this.cancelRetryAll?.();
    await super.stop();
  }
}
