// A real CalDAV server, Debian's Radicale, with one calendar.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { waitFor } from '../until.ts';
import { findRadicale } from './programs.mjs';

export interface TestCalendarServer {
  /** The server's address; its calendar is below it. */
  url: string;
  calendar: string;
  stop: () => Promise<void>;
}

export interface CalendarUser {
  username: string;
  /** Without one the server takes every password. */
  password?: string;
  /** The header of its requests. */
  authorization: string;
}

/** Undefined where Radicale is not installed. */
export async function startRadicale({ username, password, authorization }: CalendarUser): Promise<TestCalendarServer | undefined> {
  const radicale = findRadicale();
  if (!radicale) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'parley-radicale-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const users = join(folder, 'users');
  await writeFile(users, `${username}:${password ?? ''}\n`);
  const checks = ['--auth-type', 'htpasswd', '--auth-htpasswd-filename', users, '--auth-htpasswd-encryption', 'plain'];
  const storage = ['--storage-filesystem-folder', join(folder, 'calendars')];
  const auth = password === undefined ? ['--auth-type', 'none'] : checks;
  const running: ChildProcess = spawn(radicale.path, ['--config', '', '--server-hosts', `127.0.0.1:${port}`, ...storage, ...auth], {
    stdio: 'ignore',
  });
  await waitFor(() => fetch(url));
  const calendar = `${url}${encodeURIComponent(username)}/private/`;
  const made = await fetch(calendar, { method: 'MKCALENDAR', headers: { authorization } });
  if (!made.ok) throw new Error(`Radicale answers ${made.status} to MKCALENDAR.`);
  return {
    url,
    calendar,
    stop: async () => {
      if (running.exitCode === null) {
        running.kill('SIGKILL');
        await once(running, 'exit');
      }
      await rm(folder, { recursive: true });
    },
  };
}
