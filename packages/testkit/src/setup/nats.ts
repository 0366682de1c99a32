// Real NATS servers with JetStream, Debian's nats-server: one, or a cluster on loopback. Each can be killed and started again.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { findNats } from './programs.mjs';

export interface TestNats {
  /** The addresses of all servers, separated by commas. */
  url: string;
  servers: readonly NatsServer[];
  stop: () => Promise<void>;
}

export class NatsServer {
  readonly url: string;
  private readonly program: string;
  private readonly options: readonly string[];
  private running: ChildProcess | undefined;

  constructor(program: string, port: number, options: readonly string[]) {
    this.program = program;
    this.url = `nats://127.0.0.1:${port}`;
    this.options = ['-js', '-a', '127.0.0.1', '-p', String(port), ...options];
  }

  async start(): Promise<void> {
    const server = spawn(this.program, this.options, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.running = server;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      server.stderr.on('data', (text: Buffer) => {
        log = (log + text.toString()).slice(-4000);
        if (log.includes('Server is ready')) resolve();
      });
      server.once('exit', () => reject(new Error(`nats-server ended:\n${log}`)));
    });
  }

  async kill(): Promise<void> {
    const server = this.running;
    this.running = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, 'exit');
    server.kill('SIGKILL');
    await exit;
  }
}

/** Undefined where nats-server is not installed. */
export async function startNats(count = 1): Promise<TestNats | undefined> {
  const program = findNats();
  if (!program) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'parley-nats-'));
  const ports = await Promise.all(Array.from({ length: count * 2 }, () => freePort()));
  const routes = ports.slice(count).map((port) => `nats://127.0.0.1:${port}`);
  const servers = Array.from({ length: count }, (_, index) => {
    const cluster = ['--cluster_name', 'parley', '--cluster', routes[index]!, '--routes', routes.join(',')];
    const options = ['-n', `nats${index}`, '-sd', join(folder, String(index)), ...(count > 1 ? cluster : [])];
    return new NatsServer(program.path, ports[index]!, options);
  });
  await Promise.all(servers.map((server) => server.start()));
  return {
    url: servers.map(({ url }) => url).join(','),
    servers,
    stop: async () => {
      await Promise.all(servers.map((server) => server.kill()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
