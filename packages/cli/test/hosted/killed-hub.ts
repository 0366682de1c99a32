// A hub in a process of its own, with its relay and its people's peers, that is killed again and again.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHubInfo } from '@parley/hub/data-dir';
import { Person } from '@parley/testkit';
import { onTestFinished } from 'vitest';
import { type Running, up } from '../kit.ts';

/** A hub in a process of its own; each act is followed by a kill after so many milliseconds, and a new start. */
export class KilledHub {
  readonly cwd: string;
  hub!: Running;
  people: Person[] = [];

  constructor(cwd: string) {
    this.cwd = cwd;
  }

  async start(): Promise<void> {
    this.hub = await up([], { cwd: this.cwd });
    this.people = this.people.map(({ token, id, handle }) => new Person(this.hub.url, token, id, handle));
  }

  async kill(afterMs: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const info = await readHubInfo(this.hub.dataDir);
    process.kill(info!.pid, 'SIGKILL');
    await this.hub.stop();
    await this.start();
  }

  async add(handle: string): Promise<void> {
    const key = `op_${(await readFile(join(this.hub.dataDir, 'operator.key'), 'utf8')).trim()}`;
    const operator = new Person(this.hub.url, key, '', 'operator');
    const { id } = await operator.call('addMember', { body: { kind: 'human', handle, displayName: handle, role: 'member' } });
    const { secret } = await operator.call('createToken', { body: { kind: 'person', memberId: id, label: 'test' } });
    this.people.push(new Person(this.hub.url, secret, id, handle));
  }

  async calendar(person: Person): Promise<number> {
    const response = await fetch(new URL('/api/v1/peer/calendar.ics', person.url), {
      headers: { authorization: `Bearer ${person.token}` },
    });
    return (await response.text()).match(/BEGIN:VEVENT/g)?.length ?? 0;
  }
}

export async function startKilledHub(...handles: string[]): Promise<KilledHub> {
  const cwd = await mkdtemp(join(tmpdir(), 'parley-killed-'));
  const killed = new KilledHub(cwd);
  onTestFinished(async () => {
    await killed.hub.stop();
    await rm(cwd, { recursive: true, force: true });
  });
  await killed.start();
  for (const handle of handles) await killed.add(handle);
  return killed;
}
