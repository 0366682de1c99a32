// The bench's half: starts a program of its own per thing measured, so that nothing shares an event loop or a heap.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reply } from './children/serve.ts';

const programs = {
  hub: new URL('./children/hub.ts', import.meta.url),
  'bare-fastify': new URL('./children/bare-fastify.ts', import.meta.url),
  load: new URL('./children/load.ts', import.meta.url),
  listeners: new URL('./children/listeners.ts', import.meta.url),
  crew: new URL('./children/crew.ts', import.meta.url),
  attack: new URL('./children/attack.ts', import.meta.url),
  bystanders: new URL('./children/bystanders.ts', import.meta.url),
  relay: new URL('./children/relay.ts', import.meta.url),
  forward: new URL('./children/forward.ts', import.meta.url),
  'relay-clients': new URL('./children/relay-clients.ts', import.meta.url),
  jetstream: new URL('./children/jetstream.ts', import.meta.url),
  'pg-boss': new URL('./children/pg-boss.ts', import.meta.url),
};

export interface Child<Ready> {
  ready: Ready;
  pid: number;
  ask<T>(name: string, input?: unknown): Promise<T>;
  stop(): Promise<void>;
}

/** `checkout`: another one than ours, whose program of that name is started. */
export async function start<Ready>(
  program: keyof typeof programs,
  env: Record<string, string | undefined> = {},
  checkout?: string,
): Promise<Child<Ready>> {
  const path = checkout === undefined ? fileURLToPath(programs[program]) : join(checkout, 'bench', 'children', `${program}.ts`);
  const child = fork(path, { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let next = 1;
  child.on('message', (reply: Reply) => {
    const request = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('failure' in reply) request?.reject(new Error(`${program}: ${reply.failure}`));
    else request?.resolve(reply.value as never);
  });
  const exited = once(child, 'exit');
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${program} ended with ${code}`));
    waiting.clear();
  });
  const answer = <T>(id: number): Promise<T> => new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  const ready = await answer<Ready>(0);
  return {
    ready,
    pid: child.pid!,
    ask: (name, input) => {
      const id = next++;
      const pending = answer<never>(id);
      child.send({ id, name, input });
      return pending;
    },
    stop: async () => {
      if (child.connected) child.send({ id: next++, name: 'stop' });
      await exited;
    },
  };
}
