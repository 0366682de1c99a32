// How the reader of a hint can run this program: `parley` where it is on the PATH by itself, else `npx parley`.

import { basename } from 'node:path';

/** `started` is the path the program was started by, `home` where it lies. */
export function commandName(env: Record<string, string | undefined>, started: string, home: string): string {
  const local = env['npm_command'] !== undefined || /[\\/]node_modules[\\/]\.bin[\\/]/.test(started);
  const onPath = basename(started) === 'parley' || /[\\/]node_modules[\\/]/.test(home);
  return !local && onPath ? 'parley' : 'npx parley';
}

export const me = commandName(process.env, process.argv[1] ?? '', import.meta.dirname);
