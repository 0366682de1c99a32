import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestLimits, digestTopic, type UndeliveredMessage, rollUp, isInMailbox } from './mailbox.ts';

const noted = (n: number, more: Partial<UndeliveredMessage> = {}): UndeliveredMessage => ({
  messageId: `m${n}`,
  authorId: 'ann',
  at: n,
  status: false,
  question: false,
  addressed: false,
  ...more,
});

describe('a roll-up', () => {
  test('[C2A-7] of nothing is nothing, whatever is still open', () => {
    expect(rollUp([], { openTasks: 3, more: false })).toBeUndefined();
  });

  test('[C2A-7] counts who wrote, status lines, and questions addressed to nobody; the latest are named', () => {
    const all = [
      noted(1, { status: true }),
      noted(2, { question: true }),
      noted(3, { question: true, addressed: true, authorId: 'bob' }),
      ...[4, 5, 6].map((n) => noted(n, { status: true, authorId: 'orac' })),
      noted(7, { authorId: null }),
    ];
    const digest = rollUp(all, { openTasks: 2, more: false })!;
    expect(digest).toEqual({
      from: 1,
      until: 7,
      messages: 7,
      more: false,
      authors: [
        { memberId: 'orac', messages: 3 },
        { memberId: 'ann', messages: 2 },
        { memberId: 'bob', messages: 1 },
      ],
      otherAuthors: 0,
      status: { count: 4, latest: ['m4', 'm5', 'm6'] },
      questions: { count: 1, latest: ['m2'] },
      openTasks: 2,
    });
    expect(digestTopic(digest, (id) => `@${id}`)).toBe(
      '7 messages (@orac 3, @ann 2, @bob 1); 4 status lines; 1 question to nobody; 2 open tasks',
    );
  });

  test('[C2A-7] says that there was more than it counts', () => {
    expect(digestTopic(rollUp([noted(1)], { openTasks: 0, more: true })!, (id) => `@${id}`)).toBe('more than 1 message (@ann 1)');
  });

  test('[C2A-7] of any messages: it adds up, is of bounded size, and the same for the same', () => {
    const one = fc.record({
      messageId: fc.string(),
      authorId: fc.option(fc.stringMatching(/^[a-z]{1,64}$/)),
      at: fc.nat(),
      status: fc.boolean(),
      question: fc.boolean(),
      addressed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 200 }), fc.nat(50), (all, openTasks) => {
        const digest = rollUp(all, { openTasks, more: false })!;
        expect(rollUp(structuredClone(all), { openTasks, more: false })).toEqual(digest);
        const { authors, otherAuthors, status, questions } = digest;
        expect(authors.length).toBeLessThanOrEqual(digestLimits.authors);
        expect(authors.length + otherAuthors).toBe(new Set(all.flatMap(({ authorId }) => authorId ?? [])).size);
        expect(authors.reduce((sum, { messages }) => sum + messages, 0)).toBeLessThanOrEqual(digest.messages);
        for (const { count, latest } of [status, questions]) {
          expect(latest).toHaveLength(Math.min(count, digestLimits.latest));
          expect(all.map(({ messageId }) => messageId)).toEqual(expect.arrayContaining(latest));
        }
        expect(digestTopic(digest, (id) => `@${id}`).length).toBeLessThan(600);
      }),
      { numRuns: 200 },
    );
  });
});

test('[C2A-6] [C2A-8] in the mailbox is what was neither put before the agent nor silent', () => {
  expect(isInMailbox({ mode: 'tool_mailbox', task: false })).toBe(true);
  expect(isInMailbox({ mode: 'digest', task: false })).toBe(true);
  expect(isInMailbox({ mode: 'notify', task: false })).toBe(true);
  expect(isInMailbox({ mode: 'notify', task: true })).toBe(false);
  expect(isInMailbox({ mode: 'buffered', task: true })).toBe(false);
  expect(isInMailbox({ mode: 'silent', task: false })).toBe(false);
});
