// `npm run bench`: measures the numbers this project promises, as ratios inside one run wherever it can, because a
// figure from one machine says nothing about the next. `--only name` (again for more), `--quick`, `--json`, `--write`;
// `--archive file` replays another one than ours; `--against folder` compares durable messages and events with another
// checkout, in turns.

import { parseArgs } from 'node:util';
import { freshDatabase, startPostgres } from '../packages/testkit/src/store/postgres.ts';
import { type Bench, type Scenario, withFolder } from './kit.ts';
import { machine } from './machine.ts';
import { writePlots } from './plot.ts';
import { type Line, table, writeDocs } from './report.ts';
import { against } from './scenarios/against.ts';
import { answer } from './scenarios/answer.ts';
import { ask } from './scenarios/ask.ts';
import { classifiers } from './scenarios/classifiers.ts';
import { cold, delay, latency } from './scenarios/latency.ts';
import { crowd } from './scenarios/crowd.ts';
import { decide, parse } from './scenarios/decide.ts';
import { delegations } from './scenarios/delegations.ts';
import { events } from './scenarios/events.ts';
import { fairness } from './scenarios/fairness.ts';
import { fanout, slow } from './scenarios/fanout.ts';
import { growth } from './scenarios/growth.ts';
import { messages, postgres } from './scenarios/messages.ts';
import { provoke } from './scenarios/provoke.ts';
import { regex } from './scenarios/regex.ts';
import { relay, relayQueues } from './scenarios/relay.ts';
import { relayFederation } from './scenarios/relay-federation.ts';
import { relayNats } from './scenarios/relay-nats.ts';
import { relayIdle, relayRestart } from './scenarios/relay-limits.ts';
import { replay } from './scenarios/replay.ts';
import { schedule } from './scenarios/schedule.ts';
import { seal } from './scenarios/seal.ts';
import { start } from './scenarios/start.ts';

const scenarios: Record<string, Scenario> = {
  messages,
  postgres,
  latency,
  fanout,
  slow,
  delay,
  cold,
  fairness,
  growth,
  start,
  crowd,
  answer,
  ask,
  delegations,
  decide,
  parse,
  provoke,
  events,
  regex,
  replay,
  classifiers,
  schedule,
  seal,
  relay,
  'relay-queues': relayQueues,
  'relay-federation': relayFederation,
  'relay-nats': relayNats,
  'relay-idle': relayIdle,
  'relay-restart': relayRestart,
  against,
};

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    archive: { type: 'string' },
    against: { type: 'string' },
  },
});
const unknown = values.only.filter((name) => !(name in scenarios));
if (values.against !== undefined) values.only = ['against'];
const asPublished = !values.quick && values.archive === undefined;
if (unknown.length > 0 || (values.write && !asPublished)) {
  const why =
    unknown.length > 0
      ? `no such scenario: ${unknown.join(', ')}; there are ${Object.keys(scenarios).join(', ')}`
      : '--write needs full rounds and our own archive';
  process.stderr.write(`bench: ${why}\n`);
  process.exit(2);
}

let cluster: ReturnType<typeof startPostgres> | undefined;
const bench: Bench = {
  quick: values.quick,
  against: values.against,
  archive: values.archive,
  postgresUrl: async () => {
    cluster ??= startPostgres();
    return (await freshDatabase((await cluster).url)).url;
  },
};

// Children end when this process does, and folders go with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    process.stderr.write('bench: canceled. Nothing was written.\n');
    void Promise.resolve(cluster)
      .then((started) => started?.stop())
      .finally(() => process.exit(130));
  });

const lines: Line[] = [];
const chosen = Object.entries(scenarios).filter(([name]) => values.only.length === 0 || values.only.includes(name));
const started = performance.now();
const where = await withFolder((folder) => Promise.resolve(machine(folder)));
process.stderr.write(`${where}\n`);
try {
  for (const [done, [name, scenario]] of chosen.entries()) {
    const remainingMs = ((performance.now() - started) / done) * (chosen.length - done);
    const guess = done === 0 ? '' : `, about ${Math.ceil(remainingMs / 60_000)} min left`;
    process.stderr.write(`${name} (${done + 1} of ${chosen.length}${guess}) …\n`);
    const began = performance.now();
    const found = await scenario(bench);
    lines.push(...found);
    for (const { what, result, target } of found) {
      const verdict = target ? ` (${target.text}: ${target.met ? 'met' : 'MISSED'})` : '';
      process.stderr.write(`  ${what}: ${result}${verdict}\n`);
    }
    process.stderr.write(`  ${Math.round((performance.now() - began) / 1000)} s\n`);
  }
} finally {
  await (await cluster)?.stop();
}

const text = `${where}.\n\n${table(lines)}`;
// The pictures are files, no figures.
const figures = JSON.stringify({ machine: where, lines }, (key, value: unknown) => (key === 'plot' ? undefined : value), 2);
process.stdout.write(values.json ? `${figures}\n` : `\n${text}\n`);
if (values.write) {
  writePlots(
    new URL('../docs/images/', import.meta.url),
    lines.flatMap(({ plot }) => plot ?? []),
  );
  // The table stays one run on one machine.
  if (values.only.length === 0) writeDocs(new URL('../docs/benchmarks.md', import.meta.url), text);
}
process.exitCode = lines.some(({ target }) => target && !target.met) ? 1 : 0;
