import { expect, test } from 'vitest';
import { configOf, readPeerModel } from './hub-models.ts';

test('[A2C-37] a model for peers is named by provider, sizes, address and secret', () => {
  const read = readPeerModel(' anthropic  small=claude-haiku-4-5 large=claude-opus-4-5 key=team_key ');
  expect(read).toEqual({
    provider: 'anthropic',
    baseUrl: null,
    models: { small: 'claude-haiku-4-5', large: 'claude-opus-4-5' },
    key: 'team_key',
  });
  if (typeof read === 'string') throw new Error(read);
  expect(configOf(read, 'claude-haiku-4-5')).toEqual({ provider: 'anthropic', model: 'claude-haiku-4-5', key: 'team_key' });
});

test.each([
  ['gemini small=x', 'must begin with anthropic, openai, openai_compatible'],
  ['anthropic', 'must name a model'],
  ['anthropic tiny=x', 'tiny=x is none of small, medium, large, url, key'],
  ['anthropic small=', 'small= is none of'],
  ['openai_compatible small=x', 'must have url='],
  ['openai small=x url=ftp://x', 'must have an http(s) address'],
  ['openai small=x url=https://me:pw@x', 'must have an http(s) address'],
])('[A2C-37] %s is refused with the reason', (text, problem) => {
  expect(readPeerModel(text)).toContain(problem);
});
