// The main thread's end of a worker: a call is a message, its answer another.

import module from 'node:module';
import { Worker } from 'node:worker_threads';
import { asFileError } from '@parley/protocol/sqlite-fault';
import type { OnProgress } from '../../progress.ts';
import { ConflictError, CorruptRowError, StorageFullError, StoreAwayError } from '../port.ts';
import type { WorkerReply, Request, WorkerSettings } from './worker.ts';

// SQLite result codes (https://sqlite.org/rescode.html): low byte is the primary code.
const FULL = 13;
const BUSY = 5;
const CONSTRAINT = 19;

function revive(failure: { name: string; message: string; code?: number }, file: string): Error {
  const primary = (failure.code ?? 0) & 0xff;
  if (failure.name === 'ConflictError' || primary === CONSTRAINT || primary === BUSY) return new ConflictError(failure.message);
  if (primary === FULL) return new StorageFullError(failure.message, file);
  if (failure.name === 'CorruptRowError') return Object.assign(new CorruptRowError('', ''), { message: failure.message });
  const error = Object.assign(new Error(failure.message), { errcode: failure.code });
  return asFileError(file, error, repair) as Error;
}

const repair =
  '`parley verify` says what is damaged. To go on, move parley.db, parley.db-wal and parley.db-shm out of the folder and restore a backup into it with `parley restore <file>`.';

/** A query that has not stopped this long after the signal cannot: it is in the middle of a step that yields no row. */
const graceMs = 2000;

interface Call {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  limitMs: number | undefined;
  onProgress: OnProgress | undefined;
}

interface Started {
  worker: Worker;
  interruptFlag: Int32Array;
}

/** Their database is closed, and the next one is opened in them: a process that opens many pays for starting threads once. */
const spare: Started[] = [];
const mostSpare = 4;
const eventNames = ['message', 'error', 'exit'] as const;

/** A thread that dies unused is no failure of anybody, but it must not be handed out. */
function keep(started: Started): void {
  const drop = (): void => {
    const at = spare.indexOf(started);
    if (at !== -1) spare.splice(at, 1);
  };
  started.worker.on('error', drop);
  started.worker.on('exit', drop);
  started.worker.unref();
  spare.push(started);
}

function newWorker(): Started {
  const interruptFlag = new Int32Array(new SharedArrayBuffer(4));
  const cache = module.getCompileCacheDir();
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: interruptFlag,
    name: 'sqlite',
    // A thread does not take over its parent's compile cache by itself; with it, it starts in half the time and memory.
    env: cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: cache },
    // Its objects are short-lived and small; with the default it would let tens of MB of them pile up.
    resourceLimits: { maxYoungGenerationSizeMb: 3 },
  });
  return { worker, interruptFlag };
}

export class Thread {
  private readonly worker: Worker;
  private readonly interruptFlag: Int32Array;
  /** Calls in the order of their execution: the first is in progress. */
  private readonly waiting = new Map<number, Call>();
  private timer: NodeJS.Timeout | undefined;
  private next = 1;
  private gone: Error | undefined;
  private closing: Promise<void> | undefined;

  constructor(settings: Omit<WorkerSettings, 'key'> & { key: Uint8Array }) {
    const { worker, interruptFlag } = spare.pop() ?? newWorker();
    this.worker = worker;
    this.interruptFlag = interruptFlag;
    for (const event of eventNames) worker.removeAllListeners(event);
    // Requests are counted again: what was stopped for the one before is none of them.
    interruptFlag[0] = 0;
    worker.ref();
    this.worker.on('message', (text: string) => {
      const reply = JSON.parse(text) as WorkerReply;
      const call = this.waiting.get(reply.id);
      if ('progress' in reply) return call?.onProgress?.(reply.progress);
      this.waiting.delete(reply.id);
      this.watch();
      if ('failure' in reply) call?.reject(revive(reply.failure, settings.path));
      else call?.resolve(reply.value as never);
    });
    this.worker.on('error', (error: Error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('The database thread has ended')));
    // Refused, it says so to its first caller, and is of no use any more.
    this.send({ op: 'open', settings: { ...settings, key: Buffer.from(settings.key).toString('hex') } }).catch((error: Error) => {
      this.fail(error);
      void this.worker.terminate();
    });
  }

  /** The thread ended or was given up, so another must replace it. */
  get isGone(): boolean {
    return this.gone !== undefined;
  }

  private fail(error: Error): void {
    this.gone ??= error;
    clearTimeout(this.timer);
    for (const call of this.waiting.values()) call.reject(error);
    this.waiting.clear();
  }

  /** `limitMs` bounds the time from the moment when the call's turn comes; a longer call is stopped. */
  call<T>(request: Request, limitMs?: number, onProgress?: OnProgress): Promise<T> {
    // A request after the last one would reach the next database that uses the thread.
    return this.closing ? Promise.reject(new Error('The database was closed')) : this.send(request, limitMs, onProgress);
  }

  private send<T>(request: Request, limitMs?: number, onProgress?: OnProgress): Promise<T> {
    if (this.gone) return Promise.reject(this.gone);
    const id = this.next++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, limitMs, onProgress });
      this.worker.postMessage(JSON.stringify({ id, request }));
      if (this.waiting.size === 1) this.watch();
    });
  }

  /** The clock of the call whose turn it is. */
  private watch(): void {
    clearTimeout(this.timer);
    const [first] = this.waiting;
    if (!first || first[1].limitMs === undefined) return;
    const [id, call] = first;
    this.timer = setTimeout(() => {
      Atomics.store(this.interruptFlag, 0, id);
      this.timer = setTimeout(() => this.giveUp(call), graceMs);
    }, call.limitMs);
  }

  /** The thread ends when SQLite comes back from its step; nobody waits for that. */
  private giveUp(stuck: Call): void {
    stuck.reject(new Error('The read took too long and could not be stopped'));
    this.fail(new StoreAwayError('Its thread was held up by another read'));
    void this.worker.terminate();
  }

  /** Once: closed, the thread may be somebody else's by now. */
  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    const closed =
      !this.gone &&
      (await this.send({ op: 'close' }).then(
        () => true,
        () => false,
      ));
    if (!closed || spare.length >= mostSpare) return void (await this.worker.terminate());
    this.gone = new Error('The database was closed');
    for (const event of eventNames) this.worker.removeAllListeners(event);
    keep({ worker: this.worker, interruptFlag: this.interruptFlag });
  }
}
