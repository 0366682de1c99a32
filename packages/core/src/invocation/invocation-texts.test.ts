import { describe, expect, test } from 'vitest';
import { senderText, sentText, failedText, failedWords, isInInbox, wokenWords } from './invocation-texts.ts';
import { checkpointText } from '../approval/checkpoint-texts.ts';

describe('sender text', () => {
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
});

describe('failure text', () => {
  const now = { trigger: 'disk-full', reason: 'not_delivered' };

  test.each([
    [false, []],
    [true, [now]],
    [false, [{ ...now, reason: 'timed_out' }]],
    [false, [{ ...now, trigger: 'fan-failed' }]],
    [true, [{ ...now, reason: 'timed_out' }, now]],
  ])('[PAP-14] a failure reaches the owner’s inbox: %s, with %j', (known, open) => {
    expect(isInInbox(open, now)).toBe(known);
  });

  test.each([
    ['timed_out', null, 'it ran for too long'],
    ['failed', 'There is no key.', '“There is no key.”'],
    ['not_delivered', 'No.', 'its result could not be delivered: “No.”'],
    ['constructor', null, 'something went wrong'],
    [null, null, 'something went wrong'],
  ])('[PAP-14] why it failed, %s and %s, is a part of a sentence', (reason, error, words) => {
    expect(failedWords(reason, error)).toBe(words);
  });

  test.each([
    ['There is no key.', '“There is no key.” `npx parley'],
    ['There is no key', '“There is no key”. `npx parley'],
    ['x'.repeat(400), `${'x'.repeat(299)}…” \`npx parley`],
    [null, 'something went wrong. `npx parley'],
  ])('[PAP-14] a reason with a full stop gets no second one: %s', (error, words) => {
    expect(failedText({ reason: null, error, invocation: 'inv_1' })).toContain(words);
  });

  test('[PAP-14] in the inbox it is a sentence', () => {
    const failed = { trigger: 'disk-full', invocation: 'inv_1', reason: 'not_delivered', error: 'There is no such conversation.' };
    expect(checkpointText('failed_run', { about: [], count: 0, failed })).toBe(
      'The run that your trigger disk-full started has failed: its result could not be delivered: “There is no such conversation.” `npx parley invocations show inv_1` shows more.',
    );
  });
});

describe('busy agent texts', () => {
  const [a, b] = [
    { id: 'a', handle: 'A', woken: 'working' },
    { id: 'b', handle: 'B', woken: 'awaiting_approval' },
  ] as const;
  const [idle, d] = [
    { id: 'c', handle: 'C', woken: null },
    { ...b, id: 'd', handle: 'D' },
  ];
  const works = '^A is at work, woken by an event.';

  test.each([
    [[idle], [], null],
    [[a, idle], [], { text: works, yours: false }],
    [[b, d], [], { text: '^B and ^D wait for a person’s approval, woken by an event.', yours: false }],
    [[b, d], ['d', 'b'], { text: '^B and ^D wait for your approval, woken by an event.', yours: true }],
    [[a, b], ['a'], { text: `${works} ^B waits for a person’s approval, woken by an event.`, yours: false }],
    [
      [a, b, d],
      ['d'],
      { text: `${works} ^D waits for your approval, woken by an event. ^B waits for a person’s approval, woken by an event.`, yours: true },
    ],
  ])(
    '[PRV-11] [IAC-18] those that events have woken are named, with what they do and whose approval they wait for: %j, asked for %j',
    (agents, asked, words) => {
      expect(wokenWords(agents, new Set(asked))).toEqual(words);
    },
  );
});
