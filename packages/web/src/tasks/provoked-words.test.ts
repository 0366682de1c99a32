import { expect, test } from 'vitest';
import { provokedWords } from './provoked-words.ts';

const step = { kind: 'event', id: 'evt_1', parentId: null, type: 'a.price.crossed', source: 'schedule.minutely', at: 0 } as const;

test.each([
  [{ via: 'api', sourceId: null, by: '@ben' }, '@ben, as the source "schedule.minutely"'],
  [{ via: 'api', sourceId: 'meter', by: null }, 'the source meter, which calls itself "schedule.minutely"'],
  [{ via: 'schedule', sourceId: null, by: null }, 'the platform itself (schedule)'],
] as const)('[SYS-2] [PRV-2] in the tree an event names who sent it, whatever it calls its source: %j', (sender, named) => {
  expect(provokedWords({ ...step, ...sender }, '')).toBe(`Event a.price.crossed, from ${named}`);
});
