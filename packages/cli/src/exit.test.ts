import { BackupError, ConfigError, DataDirInUse } from '@parley/hub';
import { ParleyError } from '@parley/protocol';
import { ConnectionError } from '@parley/sdk';
import { describe, expect, it } from 'vitest';
import { CliError, failureOf } from './exit.ts';
import { didYouMean } from './hints.ts';

const system = (code: string, more: object = {}) => Object.assign(new Error(`${code}: something`), { code, ...more });

describe('what an error comes to', () => {
  it.each([
    ['a refusal', new ParleyError('forbidden'), 'failed', 'forbidden'],
    ['a wrong value', new ParleyError('invalid_request'), 'usage', 'invalid_request'],
    ['something the hub does not have', new ParleyError('not_found'), 'not_found', 'not_found'],
    ['a hub that stops', new ParleyError('unavailable'), 'unavailable', 'unavailable'],
    ['a broken row', new ParleyError('corrupt'), 'data', 'corrupt'],
    ['no answer', new ConnectionError('network', 'The hub cannot be reached'), 'unavailable', 'unavailable'],
    ['a bad variable', new ConfigError('PARLEY_PORT must be a port number'), 'usage', 'usage'],
    ['a second hub', new DataDirInUse('.parley'), 'unavailable', 'in_use'],
    ['a damaged backup', new BackupError('damaged', 'x'), 'data', 'damaged'],
    ['a place that is taken', new BackupError('occupied', 'x'), 'failed', 'occupied'],
    ['no such backup', new BackupError('nothing_there', 'x'), 'not_found', 'nothing_there'],
    ['a taken port', system('EADDRINUSE', { port: 7440 }), 'unavailable', 'port_taken'],
    ['a full disk', system('ENOSPC', { path: 'x' }), 'data', 'data'],
    ['no database server', new AggregateError([system('ECONNREFUSED')]), 'unavailable', 'unavailable'],
    ['no such database', system('3D000'), 'unavailable', 'unavailable'],
    ['our own', new CliError('usage', 'x'), 'usage', 'usage'],
    ['a surprise', new TypeError('x is not a function'), 'failed', 'failed'],
  ])('%s', (_, error, exit, code) => {
    expect(failureOf(error)).toMatchObject({ exit, code });
  });

  it('keeps what is wrong with which field', () => {
    const problems = [{ field: 'handle', message: 'is reserved' }];
    expect(failureOf(new ParleyError('invalid_request', undefined, { problems })).problems).toEqual(problems);
  });

  it('says which port and which file', () => {
    expect(failureOf(system('EADDRINUSE', { port: 7440 }))).toMatchObject({
      message: 'Port 7440 is taken by another program.',
      hint: 'Choose another with --port or PARLEY_PORT; after npm start, with: npm start -- --port 7441',
    });
    expect(failureOf(system('EACCES', { path: 'there' }))).toMatchObject({ message: 'there: permission denied.' });
  });
});

describe('did you mean', () => {
  it.each([
    ['genral', 'Did you mean #general?'],
    ['GENERAL2', 'Did you mean #general?'],
    ['lba', 'Did you mean #lab?'],
    ['x', undefined],
    ['something else', undefined],
  ])('%s', (typed, hint) => {
    expect(didYouMean(typed, ['general', 'lab', 'random'], '#')).toBe(hint);
  });
});
