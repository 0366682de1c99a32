// What would have to give way for a meeting, for the person who reads it.

import type { ConstraintKind } from '@parley/core';

const kinds: Readonly<Record<ConstraintKind, string>> = {
  busy: 'something in {whose} calendar',
  date: '{whose} wish for the day',
  format: '{whose} wish for the kind of meeting',
  hours: '{whose} usual hours',
  time: '{whose} wish for the time',
  travel: '{whose} time to travel',
};

/** Packets name the two sides as sender and recipient. `isMine`: this person's peer sent it. */
export const whoseWords = (rationale: string, isMine: boolean): string =>
  rationale.replaceAll(/(sender|recipient)’s (\w+)/g, (words, side: string, kind: string) =>
    Object.hasOwn(kinds, kind)
      ? kinds[kind as ConstraintKind].replace('{whose}', (side === 'sender') === isMine ? 'your' : 'their')
      : words,
  );
