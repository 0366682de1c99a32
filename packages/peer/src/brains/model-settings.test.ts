import { describe, expect, it } from 'vitest';
import { mustBeProvider, viewModel } from './model-settings.ts';

const good = { provider: 'anthropic', baseUrl: null, models: { small: 'small' }, key: null };

describe('[A2C-37] the settings of a model', () => {
  it.each([
    ['no model', { models: {} }, /Name one with --small/],
    ['an unknown size', { models: { huge: 'x' } }, /models\.huge|models is not valid/],
    ['a model without a name', { models: { small: '' } }, /models\.small is not valid: must not be empty/],
    ['a plain address', { baseUrl: 'http://models.example/v1' }, /begins with https:\/\/.*this one is "http:\/\/models\.example\/v1"/],
    ['an address that is none', { baseUrl: 'models' }, /this one is "models"/],
    ['a password in the address', { baseUrl: 'https://a:hidden@models.example/v1' }, /holds a name or a password/],
    ['no address', { provider: 'openai_compatible' }, /needs its address: add --base-url/],
    ['an unknown provider', { provider: 'acme' }, /provider is not valid/],
    ['a variable that is none', { key: { variable: 'A B' } }, /key is not valid|key\.variable is not valid/],
  ])('are refused with %s', (_, change, expected) => {
    expect(() => mustBeProvider({ ...good, ...change })).toThrow(expected);
    expect(() => mustBeProvider({ ...good, ...change })).not.toThrow(/hidden/);
  });

  it.each(['https://models.example/v1', 'http://localhost:11434/v1', 'http://127.0.0.1:8080/v1'])('take the address %s', (baseUrl) => {
    expect(mustBeProvider({ ...good, provider: 'openai_compatible', baseUrl })).toMatchObject({ baseUrl });
  });

  it('are shown without their keys', () => {
    const [stored, named] = [{ value: 'sk-secret' }, { variable: 'MY_KEY' }].map((key) => mustBeProvider({ ...good, key }));
    const shown = viewModel({ first: stored!, second: named! });
    expect(shown).toMatchObject({ first: { key: 'stored' }, second: { key: { variable: 'MY_KEY' } } });
    expect(JSON.stringify(shown)).not.toContain('sk-secret');
    expect(viewModel(undefined)).toEqual({ first: null, second: null });
  });
});
