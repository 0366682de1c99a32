import { fileURLToPath } from 'node:url';

/** How a hub runs the test server as a program. */
export const mcpStdio = (...args: ('stubborn' | 'broken')[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [fileURLToPath(new URL('stdio-server.ts', import.meta.url)), ...args],
});
