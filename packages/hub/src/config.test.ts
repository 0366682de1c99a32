import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

test('the defaults are for one laptop', () => {
  expect(readConfig({})).toMatchObject({ port: 7440, host: '127.0.0.1', databaseUrl: undefined, publicUrl: undefined, trustProxy: 0 });
  expect(readConfig({ PARLEY_DATABASE_URL: '' }).databaseUrl).toBeUndefined();
  expect(readConfig({}).work.window.quietMs).toBe(2500);
  expect(readConfig({ PARLEY_COMPOSE_MS: '0' }).work.window.quietMs).toBe(0);
});

test.each([
  [{ PARLEY_PORT: 'http' }, 'PARLEY_PORT must be a port number'],
  [{ PARLEY_PORT: '70000' }, 'PARLEY_PORT must be at most 65535'],
  [{ PARLEY_DATABASE_URL: 'mysql://x' }, 'PARLEY_DATABASE_URL must begin with postgres'],
  [{ PARLEY_PUBLIC_URL: 'chat.example.org' }, 'PARLEY_PUBLIC_URL must be an http(s) URL'],
  [{ PARLEY_WRITES_PER_MINUTE: '0' }, 'PARLEY_WRITES_PER_MINUTE must be at least 1'],
  [{ PARLEY_COMPOSE_MS: '5001' }, 'PARLEY_COMPOSE_MS must be at most 5000'],
  [{ PARLEY_COMPOSE_MS: '-1' }, 'PARLEY_COMPOSE_MS must not be negative'],
  [{ PARLEY_COMPOSE_MS: 'soon' }, 'PARLEY_COMPOSE_MS must be a number of milliseconds'],
])('%o is refused by name', (env, message) => {
  expect(() => readConfig(env)).toThrow(ConfigError);
  expect(() => readConfig(env)).toThrow(message);
});
