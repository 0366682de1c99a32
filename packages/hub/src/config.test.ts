import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

test('the defaults are for one laptop', () => {
  expect(readConfig({})).toMatchObject({ port: 7440, host: '127.0.0.1', databaseUrl: undefined, publicUrl: undefined, trustProxy: 0 });
  expect(readConfig({ PARLEY_DATABASE_URL: '' }).databaseUrl).toBeUndefined();
});

test.each([
  [{ PARLEY_PORT: 'http' }, 'PARLEY_PORT must be a port number'],
  [{ PARLEY_PORT: '70000' }, 'PARLEY_PORT must be at most 65535'],
  [{ PARLEY_DATABASE_URL: 'mysql://x' }, 'PARLEY_DATABASE_URL must begin with postgres'],
  [{ PARLEY_PUBLIC_URL: 'chat.example.org' }, 'PARLEY_PUBLIC_URL must be an http(s) URL'],
  [{ PARLEY_WRITES_PER_MINUTE: '0' }, 'PARLEY_WRITES_PER_MINUTE must be at least 1'],
])('%o is refused by name', (env, message) => {
  expect(() => readConfig(env)).toThrow(ConfigError);
  expect(() => readConfig(env)).toThrow(message);
});
