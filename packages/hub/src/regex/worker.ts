// The thread that compiles and matches regular expressions of others (PRV-6). It says what it is at and since when, so that
// it can be stopped when that takes too long: nothing that it does is worth keeping.

import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { compilePattern, directPatterns, type Pattern } from '@parley/core/pattern';
import type { Manifest } from '@parley/protocol';
import { type Batch, cpuMs, monotonicMs, progressIn, type ThreadReply, type ThreadData } from './question.ts';

const { buffer, background } = workerData as ThreadData;
const progress = progressIn(buffer);
// Elsewhere it would be the priority of the whole process.
if (background && process.platform === 'linux') setPriority(10);

function begin(): number {
  progress.since[0] = monotonicMs();
  return (progress.sinceCpu[0] = cpuMs(process.threadCpuUsage()));
}

/** Compiled patterns, the last used last. Together they have so many instructions; each takes some hundred bytes. */
const compiled = new Map<string, Pattern>();
const mostInstructions = 200_000;
let instructions = 0;

const sizeOf = (pattern: Pattern): number => 10 + (pattern.ok ? pattern.size : 0);

/** Patterns that are small and compiled in no time. */
const small = new WeakSet<Pattern>();
const [smallSize, smallMs] = [100, 10];

function patternOf(source: string): Pattern {
  const cached = compiled.get(source);
  if (cached) {
    compiled.delete(source);
    compiled.set(source, cached);
    return cached;
  }
  Atomics.store(progress.isCompiling, 0, 1);
  const began = progress.sinceCpu[0]!;
  const made = compilePattern(source);
  const took = begin() - began;
  if (made.ok && made.size <= smallSize && source.length <= smallSize && took <= smallMs) small.add(made);
  Atomics.store(progress.isCompiling, 0, 0);
  compiled.set(source, made);
  instructions += sizeOf(made);
  for (const [oldest, pattern] of compiled) {
    if (instructions <= mostInstructions || oldest === source) break;
    compiled.delete(oldest);
    instructions -= sizeOf(pattern);
  }
  return made;
}

/** Loaded when it is first asked for: no filter needs it. */
async function judge(output: string, text: string): Promise<unknown> {
  const { compileOutput } = await import('@parley/core/output');
  // Loading it is nobody's time.
  begin();
  const patterns = directPatterns();
  const made = compileOutput(JSON.parse(output) as Manifest['output'], patterns);
  return made.ok ? made.value(text, patterns) : { ok: false, problems: made.problems };
}

function answer(kind: 'match' | 'compile', pattern: Pattern, text: string): unknown {
  // Taken by another version that accepted it, it matches nothing.
  if (kind === 'match') return pattern.ok && pattern.test(text);
  return pattern.ok ? null : pattern.message;
}

async function work({ kinds, abouts, places, texts, sliceMs }: Batch): Promise<ThreadReply> {
  const reply: ThreadReply = { values: [], ms: [], sizes: [] };
  const began = monotonicMs();
  for (const [i, kind] of kinds.entries()) {
    const before = begin();
    Atomics.store(progress.at, 0, i + 1);
    const about = abouts[i]!;
    const text = texts[places[i]!] ?? '';
    const pattern = kind === 'judge' || kind === 'contains' ? undefined : patternOf(about);
    // A synchronous answer needs no waiting.
    const value = kind === 'judge' ? await judge(about, text) : kind === 'contains' ? text.includes(about) : answer(kind, pattern!, text);
    reply.values.push(value);
    reply.ms.push(cpuMs(process.threadCpuUsage()) - before);
    reply.sizes.push(pattern?.ok && small.has(pattern) ? pattern.size : 0);
    if (monotonicMs() - began >= sliceMs) break;
  }
  Atomics.store(progress.at, 0, 0);
  return reply;
}

parentPort!.on('message', (batch: Batch) => {
  work(batch).then(
    (said) => parentPort!.postMessage(said),
    // Not of its own making: the thread ends, and its caller learns of it.
    (error: unknown) =>
      setImmediate(() => {
        throw error;
      }),
  );
});
// The first of its kind takes ten times as long, and that is nobody's time either.
for (const source of ['(?i)warm|up\\d+$', '^[\\pL-]{2,9}.*x']) directPatterns().holds(source, 'not there '.repeat(100), '');
parentPort!.postMessage('ready');
