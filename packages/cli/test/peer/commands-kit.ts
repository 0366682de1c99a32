// People whose peers are run by commands, each in a folder of its own, with a relay in a process.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { ask, type Ended, parley, type RunOptions, running, type Stoppable } from '../kit.ts';

export interface PeerShell {
  here: RunOptions;
  relay: Stoppable & { url: string };
  /** A command that must succeed; its JSON answer. */
  peer: <T>(who: string, ...args: string[]) => Promise<T>;
  /** However it ends. */
  tried: (who: string, ...args: string[]) => Promise<Ended>;
  contexts: (who: string) => Promise<unknown[]>;
  /** Makes an identity; returns its card. */
  init: (who: string) => Promise<string>;
}

/** Another one for each test. */
export function peerShell(): PeerShell {
  const shell = {} as PeerShell;
  beforeEach(async () => {
    shell.here = { cwd: await mkdtemp(join(tmpdir(), 'parley-peers-')), env: { PARLEY_RELAY_PORT: '0' } };
    shell.relay = await running<{ url: string }>(['relay'], shell.here);
  });
  afterEach(async () => {
    await shell.relay.stop();
    await rm(shell.here.cwd, { recursive: true });
  });
  shell.peer = (who, ...args) => ask(['peer', '--data', who, ...args], shell.here);
  shell.tried = (who, ...args) => parley(['peer', '--data', who, ...args], shell.here);
  shell.contexts = async (who) =>
    (await shell.peer<{ packets: { context: unknown }[] }>(who, 'inbox')).packets.map(({ context }) => context);
  shell.init = async (who) => {
    const { code } = await ask<{ code: string }>(['relay', 'invite'], shell.here);
    await shell.peer(who, 'init', '--name', who, '--relay', shell.relay.url, '--code', code);
    return (await shell.tried(who, 'card')).out.trim().split('\n').at(-1)!;
  };
  return shell;
}
