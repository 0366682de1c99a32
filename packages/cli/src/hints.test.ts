import { expect, it } from 'vitest';
import { commandName } from './hints.ts';

it.each([
  ['npx parley', 'by npx', { npm_command: 'exec' }, '/usr/bin/parley', '/usr/lib/node_modules/@parley/cli/src'],
  ['npx parley', 'in a clone', {}, '/home/ada/parley/packages/cli/bin/parley.mjs', '/home/ada/parley/packages/cli/src'],
  ['npx parley', 'by the link npm makes in a clone', {}, '/home/ada/parley/node_modules/.bin/parley', '/home/ada/parley/packages/cli/src'],
  ['npx parley', 'on the bundled Node', {}, '/home/ada/parley/packages/cli/src/main.ts', '/home/ada/parley/packages/cli/src'],
  ['parley', 'installed for everybody', {}, '/usr/bin/parley', '/usr/lib/node_modules/@parley/cli/src'],
  ['parley', 'linked into the PATH', {}, '/usr/local/bin/parley', '/opt/parley/packages/cli/src'],
])('hints say `%s` when it was started %s', (name, _, env, started, home) => {
  expect(commandName(env, started, home)).toBe(name);
});
