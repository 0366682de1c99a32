import type { BrainConfig, ModelConfig } from '@parley/protocol';
import { expect, test } from 'vitest';
import { givesNothingNew, reachesNothingNew } from './secret-use.ts';

const plain: ModelConfig = { provider: 'openai', model: 'm' };
const ours: ModelConfig = { ...plain, baseUrl: 'https://ours.example', key: 'ours' };
const model = (one: ModelConfig, fallback?: ModelConfig): BrainConfig => ({ kind: 'model', ...one, ...(fallback ? { fallback } : {}) });
const hook = (url: string, secret: string): BrainConfig => ({ kind: 'remote', webhook: { url, secret } });

test.each<[string, BrainConfig, BrainConfig, boolean]>([
  ['a provider at its own address', model(plain), { kind: 'builtin' }, true],
  ['another model there', model({ ...ours, model: 'n' }), model(ours), true],
  ['what was the second, as the first', model(ours), model(plain, ours), true],
  ['nothing of it', { kind: 'builtin' }, model(ours), true],
  ['the same webhook', hook('https://a.example', 's'), hook('https://a.example', 's'), true],
  ['another address', model({ ...plain, baseUrl: 'https://mine.example' }), model(plain), false],
  ['another address for the second', model(plain, { ...plain, baseUrl: 'https://mine.example' }), model(plain), false],
  ['another key', model({ ...plain, key: 'other' }), model(plain), false],
  ['an address with the key of another', model({ ...ours, key: 'other' }), model(ours, { ...plain, key: 'other' }), false],
  ['an address without the key it was given for', model({ ...plain, baseUrl: ours.baseUrl }), model(ours), false],
  ['a key without the address it was given for', model({ ...plain, key: 'ours' }), model(ours), false],
  ['a key for another provider', model({ ...plain, provider: 'anthropic', key: 'k' }), model({ ...plain, key: 'k' }), false],
  ['a webhook', hook('https://a.example', 's'), { kind: 'remote' }, false],
  ['a webhook elsewhere', hook('https://b.example', 's'), hook('https://a.example', 's'), false],
  ['a webhook with another secret', hook('https://a.example', 't'), hook('https://a.example', 's'), false],
])('[SYS-11] %s', (_, next, inForce, same) => {
  expect(reachesNothingNew(next, inForce)).toBe(same);
});

test.each<[string, string[], string[], boolean]>([
  ['the same', ['mcp://files'], ['mcp://files'], true],
  ['one tool of a server it has', ['mcp://files/echo'], ['mcp://files'], true],
  ['nothing', [], ['mcp://files'], true],
  ['a server it has not', ['mcp://files', 'mcp://pay'], ['mcp://files'], false],
  ['all of a server of which it has one tool', ['mcp://files'], ['mcp://files/echo'], false],
  ['another tool of it', ['mcp://files/write'], ['mcp://files/echo'], false],
  ['one whose name begins the same', ['mcp://files2/echo'], ['mcp://files'], false],
])('[SYS-11] tools: %s', (_, next, inForce, same) => {
  expect(givesNothingNew(next, inForce)).toBe(same);
});
