// Vitest's set-up for integration tests. Each read of the product that any test brings about is planned once, after the file
// that brought it about: so every statement is asked, and no list of them has to be kept.

import { subscribe } from 'node:diagnostics_channel';
import { type StatementRun, statementChannel } from '@parley/hub';
import { afterAll } from 'vitest';
import { growingCosts, type Statement } from '../store/explain.ts';

type Engine = StatementRun['engine'];

/** Statements of this worker, and those that are checked after this file. */
const seen: Record<Engine, Set<string>> = { sqlite: new Set(), postgres: new Set() };
const waiting: Record<Engine, Statement[]> = { sqlite: [], postgres: [] };

/** The first caller outside of the stores; undefined: a test reads by itself. */
function caller(): string | undefined {
  const frames = new Error().stack!.split('\n').slice(1);
  const outside = frames.find(
    (frame) => frame.includes('packages/') && !/setup\/query-plans|store\/(sqlite|postgres|where|statements)/.test(frame),
  );
  return /packages\/((?!testkit)\w+\/src\/.*?\.ts):/.exec(outside ?? '')?.[1];
}

subscribe(statementChannel.name, (message) => {
  const { engine, sql } = message as StatementRun;
  if (seen[engine].has(sql) || !sql.startsWith('select')) return;
  const at = caller();
  if (at === undefined) return;
  seen[engine].add(sql);
  waiting[engine].push({ sql, at });
});

afterAll(async () => {
  const problems = await Promise.all((['sqlite', 'postgres'] as const).map((engine) => growingCosts(engine, waiting[engine].splice(0))));
  if (problems.flat().length > 0)
    throw new Error(`Reads cost more the more is stored; store/query-plans.ts of testkit says how:\n${problems.flat().join('\n')}`);
});
