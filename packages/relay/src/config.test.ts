import { expect, test } from 'vitest';
import { readRelayConfig, withoutLogin } from './config.ts';

test('[SYS-7] a relay keeps its data in its folder unless NATS servers are named', () => {
  expect(readRelayConfig({}).nats).toBeUndefined();
  const servers = 'nats://a:4222, tls://b:4222';
  expect(readRelayConfig({ PARLEY_RELAY_NATS: servers }).nats).toEqual({ servers, prefix: 'parley-relay', replicas: 1 });
  expect(() => readRelayConfig({ PARLEY_RELAY_NATS: 'localhost:4222' })).toThrow('PARLEY_RELAY_NATS must be URLs of NATS servers');
  expect(() => readRelayConfig({ PARLEY_RELAY_NATS_REPLICAS: '2' })).toThrow('PARLEY_RELAY_NATS_REPLICAS must be 1, 3 or 5');
  expect(() => readRelayConfig({ PARLEY_RELAY_NATS_PREFIX: 'a.b' })).toThrow('PARLEY_RELAY_NATS_PREFIX must be 1 to 64 letters');
});

test('[SYS-7] servers are shown without their login', () => {
  expect(withoutLogin('nats://ann:p@ss@a:4222, tls://token@b:4222,nats://c')).toBe('nats://a:4222, tls://b:4222, nats://c');
});

test('[A2C-10] a relay speaks with no other one unless its operator says so', () => {
  expect(readRelayConfig({}).federation).toBeUndefined();
  expect(readRelayConfig({ PARLEY_RELAY_FEDERATION: 'on' }).federation).toMatchObject({ allowed: undefined, denied: [], isPrivate: false });
  const lists = { PARLEY_RELAY_FEDERATION_ALLOW: 'a.example, b.example:8443', PARLEY_RELAY_FEDERATION_DENY: 'c.example' };
  expect(readRelayConfig({ PARLEY_RELAY_FEDERATION: 'on', ...lists }).federation).toMatchObject({
    allowed: ['a.example', 'b.example:8443'],
    denied: ['c.example'],
  });
  expect(() => readRelayConfig({ PARLEY_RELAY_FEDERATION: 'yes' })).toThrow('PARLEY_RELAY_FEDERATION must be on or off');
  expect(() => readRelayConfig({ PARLEY_RELAY_FEDERATION_DENY: 'https://c.example' })).toThrow('must be a domain in lower case');
});
