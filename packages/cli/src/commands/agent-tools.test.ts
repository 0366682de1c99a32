import type { Identity, ToolServer } from '@parley/protocol';
import { expect, test } from 'vitest';
import { toolLines, unknownTools } from '../agent-tools.ts';

const model: Identity['brain'] = { kind: 'model', provider: 'anthropic', model: 'm' };
const server = (name: string, ...tools: [string, 'read' | 'write'][]): ToolServer =>
  ({
    name,
    owner: name === 'mail' ? 'ann' : null,
    tools: tools.map(([tool, access]) => ({ name: tool, calledAs: `${name}__${tool}`, access, says: access })),
  }) as ToolServer;

const workspace = [
  'tools of the workspace:',
  '  reads: query_workspace, read_mailbox, read_thread, search_messages',
  '  writes: react, claim, send_channel_message, contact_agent, negotiate',
];

test('[SYS-8] an agent with a model has the tools of the workspace, and of the servers it was given', () => {
  expect(toolLines({ brain: model, tools: [] }, [server('files', ['echo', 'read'])])).toEqual(workspace);
  expect(
    toolLines({ brain: model, tools: ['mcp://files', 'mcp://mail/send', 'mcp://idle', 'mcp://gone'] }, [
      server('files', ['echo', 'read'], ['save', 'write']),
      server('mail', ['send', 'write'], ['erase', 'write']),
      server('idle'),
    ]),
  ).toEqual([
    ...workspace,
    'tools of files:',
    '  reads: files__echo',
    '  writes: files__save',
    'tools of mail:',
    '  writes: mail__send',
    '  private data of ann: withheld where others hear the answer',
    'tools of idle: not listed yet. `npx parley tools test idle` lists them.',
  ]);
});

test('[SYS-8] a built-in agent has none', () => {
  expect(toolLines({ brain: { kind: 'builtin' }, tools: [] }, [])).toEqual(['tools: none (a built-in agent has no model)']);
});

test('[SYS-8] a misspelt tool in the configuration of a server is named', () => {
  const up = {
    ...server('files', ['save', 'write']),
    state: 'up',
    config: { tools: { save: 'write', svae: 'write' } },
  } as unknown as ToolServer;
  expect(unknownTools(up)).toEqual(['svae']);
  expect(unknownTools({ ...up, config: null })).toEqual([]);
});
