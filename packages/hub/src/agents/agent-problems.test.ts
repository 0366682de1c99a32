import type { ToolServer } from '@parley/protocol';
import { expect, test } from 'vitest';
import { missingTools } from './agent-problems.ts';

test('[SYS-8] a server that is down says why, and a misspelt tool or server is named', () => {
  const down = { name: 'mail', state: 'down', problem: 'spawn nowhere ENOENT', tools: [] } as Partial<ToolServer> as ToolServer;
  expect(missingTools(['mcp://mail'], [down])).toEqual([expect.stringContaining('mail is down: spawn nowhere ENOENT')]);
  const up = { name: 'files', state: 'up', problem: null, tools: [{ name: 'save' }] } as Partial<ToolServer> as ToolServer;
  expect(missingTools(['mcp://files/svae', 'mcp://files/save', 'mcp://fiels'], [up])).toEqual([
    expect.stringContaining('files offers no tool svae'),
    expect.stringContaining('there is no tool server fiels'),
  ]);
});
