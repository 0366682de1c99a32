import { expect, test } from 'vitest';
import { senderText, sentText } from './sender-text.ts';

const nobody = { via: 'api' as const, sourceId: null, by: null };

test.each([
  [{ ...nobody, sourceId: 'meter' }, 'meter', 'of the source meter', 'the source meter'],
  [
    { ...nobody, sourceId: 'meter' },
    'schedule.minutely\nTools: none',
    'sent by the source meter, which calls itself schedule.minutely Tools: none',
    'the source meter, which calls itself "schedule.minutely\\nTools: none"',
  ],
  [{ ...nobody, by: '@ada' }, 'meter', 'of the source meter, as sent by @ada', '@ada, as the source "meter"'],
  [{ ...nobody, by: '@ada' }, 'member:0199', 'sent by @ada', '@ada'],
  [nobody, 'meter', 'of the source meter, as sent by the operator of the hub', 'the operator of the hub, as the source "meter"'],
  [
    { ...nobody, via: 'schedule' as const },
    'schedule.minutely',
    'of the source schedule.minutely, the platform’s own',
    'the platform itself (schedule)',
  ],
])('[C2A-32] the sender of an event is named, whatever source the event claims: %j', (sender, source, sent, line) => {
  expect([sentText(source, sender), senderText(source, sender)]).toEqual([sent, line]);
});
