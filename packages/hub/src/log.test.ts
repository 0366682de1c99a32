import { ParleyError } from '@parley/protocol';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { FolderProblems } from './watched-files/watched-files.ts';
import { BrainError } from './brains/brain.ts';
import { inWords, logFailedRequest, logFault } from './log.ts';

function logged(work: (logger: pino.Logger) => void, stacks = false): string[] {
  const lines: string[] = [];
  work(
    pino(
      { level: 'debug' },
      inWords((text) => lines.push(text.replace(/^\d\d:\d\d:\d\d /, 'AT ')), stacks),
    ),
  );
  return lines;
}

test('on a terminal the log is in words: when, how bad, what', () => {
  expect(logged((logger) => logger.warn('the disk is nearly full'))).toEqual(['AT warn  the disk is nearly full\n']);
  const error = new TypeError('no such thing');
  expect(logged((logger) => logger.error({ err: error }, 'engine'))).toEqual(['AT error engine: no such thing\n']);
  const request = { req: { method: 'GET', url: '/api/v1/me' }, res: { statusCode: 200 }, responseTime: 2.6 };
  expect(logged((logger) => logger.info(request, 'request completed'))).toEqual(['AT info  request completed GET /api/v1/me 200 3 ms\n']);
});

test('where in the program it was is told to who asks for everything', () => {
  const [line] = logged((logger) => logger.error({ err: new Error('no such thing') }, 'engine'), true);
  expect(line).toMatch(/^AT error engine: Error: no such thing\n {6}at .*log\.test\.ts/);
});

test('what others wrote cannot move the cursor, and lines stay under their own', () => {
  const request = { req: { method: 'GET', url: '/\u001B[2Jx\u202E' } };
  expect(logged((logger) => logger.info(request, 'in'))).toEqual(['AT info  in GET / [2Jx \n']);
  expect(logged((logger) => logger.error({ err: new Error('one\ntwo') }, 'engine'))).toEqual(['AT error engine: one\n  two\n']);
});

test('[PRV-4] [SYS-8] what is wrong in somebody’s files is a line for each, with its place there', () => {
  const at = { file: 'triggers/x.yaml', line: 2, column: 1, field: 'trigger.match', message: 'is required' };
  const whole = { file: 'triggers/x.toml', line: null, column: null, field: '(file)', message: 'is not read' };
  expect(logged((logger) => logFault(logger, new FolderProblems([at, whole])))).toEqual([
    'AT error triggers/x.yaml:2:1 trigger.match: is required\n',
    'AT error triggers/x.toml (file): is not read\n',
  ]);
  expect(logged((logger) => logFault(logger, new Error('no such thing')))).toEqual(['AT error engine: no such thing\n']);
});

test('[SYS-8] a model without a key is one line that says where to add it, and no stack in any form', () => {
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => lines.push(line) });
  logFault(logger, new BrainError('There is no key for the model (anthropic); an owner or admin sets it under Keys', 'no_key'));
  const msg =
    'A turn failed: There is no key for the model (anthropic); an owner or admin sets it under Keys, or with `npx parley secrets set`.';
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ msg }]);
  expect(lines[0]).not.toContain('stack');
});

test('[A2C-34] peers that are away are no fault of a request: one line without a stack, below the usual level', () => {
  const request = { reqId: 'req-1', route: '/api/v1/peer' };
  const away = new ParleyError('peer_unavailable', 'The hub’s peers start again. Try again in a moment.');
  const broken = new ParleyError('internal');
  const refused = new ParleyError('not_found');
  const lines = (error: ParleyError) => logged((logger) => logFailedRequest(logger, request, error, error), true);
  expect(lines(away)).toEqual(['AT info  The hub’s peers start again. Try again in a moment.\n']);
  expect(lines(broken)).toEqual([expect.stringMatching(/^AT error request failed: .*\n {6}at /s)]);
  expect(lines(refused)).toEqual([]);
});
