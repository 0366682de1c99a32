import { expect, test } from 'vitest';
import { provokedWords, wokenWords } from './provoked-words.ts';

const step = { kind: 'event', id: 'evt_1', parentId: null, type: 'a.price.crossed', source: 'schedule.minutely', at: 0 } as const;

test.each([
  [{ via: 'api', sourceId: null, by: '@ben' }, '@ben, as the source "schedule.minutely"'],
  [{ via: 'api', sourceId: 'meter', by: null }, 'the source meter, which calls itself "schedule.minutely"'],
  [{ via: 'schedule', sourceId: null, by: null }, 'the platform itself (schedule)'],
] as const)('[SYS-2] [PRV-2] in the tree an event names who sent it, whatever it calls its source: %j', (sender, named) => {
  expect(provokedWords({ ...step, ...sender }, '')).toBe(`Event a.price.crossed, from ${named}`);
});

test('[PRV-11] [IAC-18] those that events have woken are named, with what they do', () => {
  const [a, b] = [
    { handle: 'A', woken: 'working' },
    { handle: 'B', woken: 'awaiting_approval' },
  ] as const;
  const idle = { handle: 'C', woken: null };
  expect(wokenWords([idle])).toBeNull();
  expect(wokenWords([a, idle])).toEqual({ text: '^A is at work, woken by an event.', hint: 'What it gives on to others shows here.' });
  expect(wokenWords([b, { ...b, handle: 'D' }])?.text).toBe('^B and ^D wait for a person’s yes, woken by an event.');
  expect(wokenWords([a, b])).toEqual({
    text: '^A is at work, woken by an event. ^B waits for a person’s yes, woken by an event.',
    hint: 'What waits for your yes is under “Waiting for you”.',
  });
});
