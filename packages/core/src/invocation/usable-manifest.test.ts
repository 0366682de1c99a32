import type { Manifest } from '@parley/protocol';
import { expect, test } from 'vitest';
import { manifestOf } from '../../test/provoke/sample.ts';
import { reaches } from './usable-manifest.ts';

const words = { model: { provider: 'builtin' }, tools: [], deliver_to: undefined } as unknown as Manifest;

test.each<[string, boolean, object]>([
  ['nothing but words', false, {}],
  ['a result in a conversation', false, { deliver_to: { conversation: 'general' } }],
  ['a tool', true, { tools: [{ name: 'write', source: 'mcp://files' }] }],
  ['a model that is asked with a key', true, { model: { provider: 'anthropic', model_id: 'm' } }],
  ['a result that is sent outside', true, { deliver_to: { webhook: { url: 'https://example.com' } } }],
])('[SYS-9] a manifest with %s gives more than words: %j', (_, expected, more) => {
  expect(reaches({ ...words, ...more })).toBe(expected);
});

test('[SYS-9] one that says nothing of it gives nothing', () => expect(reaches(manifestOf())).toBe(false));
