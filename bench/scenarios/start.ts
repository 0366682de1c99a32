// `parley up` on a workspace with history: until it answers, and how much memory it takes then and after hard work.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../packages/testkit/src/free-port.ts';
import { start as startChild } from '../child.ts';
import { type Client, fiftyClients, post, roomy, type Scenario, startHub, withChildren, withFolder } from '../kit.ts';
import { rssOf } from '../machine.ts';
import { mb, median, ms } from '../stats.ts';

const parley = fileURLToPath(new URL('../../packages/cli/bin/parley.mjs', import.meta.url));

/** Starts it as people do, and stops it again. */
async function up<T>(dataDir: string, work: (hub: { port: number; pid: number; healthyMs: number }) => Promise<T>): Promise<T> {
  const port = await freePort();
  const env = { ...process.env, ...roomy, PARLEY_PORT: String(port), PARLEY_DATA: dataDir };
  const began = performance.now();
  const hub = spawn(process.execPath, [parley, 'up'], { env, stdio: 'ignore' });
  const exited = once(hub, 'exit');
  try {
    while (!(await healthy(port))) {
      if (hub.exitCode !== null) throw new Error(`parley up ended with ${hub.exitCode}`);
      await sleep(2);
    }
    return await work({ port, pid: hub.pid!, healthyMs: performance.now() - began });
  } finally {
    hub.kill('SIGTERM');
    await exited;
  }
}

const healthy = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/api/v1/health`).then(
    (answer) => answer.status === 200,
    () => false,
  );

export const start: Scenario = ({ quick }) =>
  withFolder(async (folder) => {
    const count = quick ? 5_000 : 100_000;
    const clients = await withChildren<Client[]>(async (run) => {
      const hub = await startHub(run, folder);
      await hub.ask('messages', { count });
      return fiftyClients(hub);
    });
    // The first start after an installation also compiles; that is once, and not what one waits for every day.
    await up(folder, () => Promise.resolve());
    const starts: { healthyMs: number; rss: number }[] = [];
    for (let i = 0; i < (quick ? 2 : 7); i++) {
      starts.push(
        await up(folder, async ({ pid, healthyMs }) => {
          await sleep(1000);
          return { healthyMs, rss: rssOf(pid) };
        }),
      );
    }
    const load = await startChild('load');
    const after = await up(folder, async ({ port, pid }) => {
      const { accepted } = await post(load, port, clients, { ms: quick ? 1000 : 60_000 });
      return { accepted, rss: rssOf(pid) };
    });
    await load.stop();
    const healthyMs = median(starts.map((one) => one.healthyMs));
    const rss = median(starts.map((one) => one.rss));
    const many = `${count.toLocaleString('en')} messages`;
    return [
      {
        what: `From \`parley up\` to healthy, ${many}`,
        result: ms(healthyMs),
        target: { text: '≤ 1.5 s', met: healthyMs <= 1500 },
        from: `median of ${starts.length} starts, ${ms(Math.max(...starts.map((one) => one.healthyMs)))} the slowest`,
      },
      {
        what: `Memory (resident set) a second later, ${many}`,
        result: mb(rss),
        target: { text: '≤ 150 MB', met: rss <= 150e6 },
        from: 'all threads',
      },
      {
        what: 'The same, after a minute of messages as fast as they could be sent',
        result: mb(after.rss),
        target: { text: '≤ 260 MB', met: after.rss <= 260e6 },
        from: `${after.accepted.toLocaleString('en')} messages`,
      },
    ];
  });
