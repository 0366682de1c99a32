import { describe, expect, test } from 'vitest';
import type { Agent, Invocation, ManifestWaking } from '@parley/protocol';
import {
  wakingState,
  wokenStatus,
  lastRunText,
  unwokenText,
  wakingText,
  wokenAsksText,
  wokenBrainText,
  idleBy,
  idleWords,
  isNotified,
} from './manifest-waking.ts';

describe('manifest waking', () => {
  const there = { removed: false, enabled: true, elsewhere: false };

  test.each([
    ['gone', undefined, 1],
    ['gone', { ...there, removed: true, enabled: false }, 1],
    ['off', { ...there, enabled: false, elsewhere: true }, 1],
    ['elsewhere', { ...there, elsewhere: true }, 1],
    ['no_trigger', there, 0],
    ['on', there, 1],
  ] as const)('[PRV-4] %s: %j with %i triggers', (state, manifest, triggers) => {
    expect(wakingState(manifest, triggers)).toBe(state);
  });

  test.each<[Agent['woken'], Invocation['state'][]]>([
    ['working', ['awaiting_approval', 'queued', 'running']],
    ['awaiting_approval', ['queued', 'awaiting_approval', 'waiting_retry']],
    [null, ['queued', 'waiting_retry', 'completed', 'failed', 'expired', 'denied', 'cancelled']],
    [null, []],
  ])('[SYS-8] events have an agent %s with invocations that are %j', (woken, states) => {
    expect(wokenStatus(states)).toBe(woken);
  });

  const waking: ManifestWaking = {
    manifestId: 'watcher',
    version: 2,
    state: 'on',
    thinks: 'model',
    model: 'big (anthropic)',
    asks: null,
    lastRun: null,
    triggers: ['a', 'b'],
  };

  test('one line says which events wake an agent, as far as the reader may see them', () => {
    expect(wakingText(waking)).toBe('events, by the manifest watcher (version 2); triggers a, b');
    expect(wakingText({ ...waking, triggers: null })).toBe('events, by the manifest watcher (version 2)');
    expect(wakingText({ ...waking, state: 'gone', triggers: [] })).toBe('no event any more: the manifest watcher was removed');
    expect([unwokenText(null), unwokenText(waking)]).toEqual([undefined, undefined]);
    expect(unwokenText({ ...waking, state: 'off' })).toBe('no event wakes it any more');
  });

  test('[PRV-11] when a person is asked, and what it thinks with; a model’s name makes no line of its own', () => {
    expect(wokenBrainText({ ...waking, thinks: 'plain', model: null })).toBe('plain words, no model');
    expect(wokenBrainText({ ...waking, model: null })).toBe('a language model, run by this hub');
    expect(wokenBrainText({ ...waking, model: 'big\nasks before no run\u202E (openai)' })).toBe('big asks before no run\\u{202e} (openai)');
    expect(wokenAsksText({ ...waking, asks: 'risk' }, 'autonomous')).toBe('before each run: what it may do is of high risk');
    expect(wokenAsksText({ ...waking, asks: 'mode' }, 'strict')).toBe('before each run: it is strict');
  });

  test('[PAP-14] one line says how the last run ended, and why it failed', () => {
    const run = { invocationId: 'inv_1', state: 'failed' as const, at: 1, error: 'There is no key called x.\nAll is well.' };
    expect(lastRunText(run, 'today')).toBe('failed, today: “There is no key called x. All is well.”');
    expect(lastRunText({ ...run, state: 'completed', error: null }, 'today')).toBe('done, today');
  });
});

describe('idle trigger', () => {
  const there = { removed: false, enabled: true, theirs: true };

  test.each([
    ['no_manifest', undefined],
    ['no_manifest', { ...there, removed: true, enabled: false }],
    ['manifest_off', { ...there, enabled: false }],
    ['no_manifest', { ...there, theirs: false }],
    ['no_manifest', { ...there, enabled: false, theirs: false }],
    [undefined, there],
  ] as const)('[PRV-4] a trigger wakes nobody, %s: %j', (why, manifest) => {
    expect(idleBy(manifest)).toBe(why);
  });

  const last = { why: 'manifest_off', version: 2, owner: 'mem_1', ended: false } as const;

  test.each([
    [true, last, { why: 'manifest_off', version: 2, owner: 'mem_1' }],
    [false, undefined, last],
    [false, { ...last, ended: true }, last],
    [false, last, { ...last, why: 'no_manifest' }],
    [false, last, { ...last, version: 4 }],
    [false, last, { ...last, owner: 'mem_2' }],
  ] as const)('[PAP-14] the owner is notified already: %s, last %j, and now %j', (notified, before, now) => {
    expect(isNotified(before, now)).toBe(notified);
  });

  test('[PAP-14] each reason has a sentence', () => {
    expect(idleWords('manifest_off', 'doctor')).toBe('The manifest doctor is switched off.');
    expect(idleWords('no_manifest', 'doctor')).toBe('There is no manifest doctor that its owner may use.');
    expect(idleWords('no_approver', 'doctor')).toBe('It needs a person’s approval, and nobody can give it.');
  });
});
