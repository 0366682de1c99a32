import { expect, test } from 'vitest';
import { type HeardFact, type Hearer, visibilityOf, type FactVisibility } from './audience.ts';

const fact = (over: Partial<HeardFact>): HeardFact => ({ scope: 'conversation', seq: 10, ...over });
const who = (over: Partial<Hearer> = {}): Hearer => ({ browses: true, joinedSeq: undefined, subject: false, ...over });
const open = { visibility: 'public', history: 'all' } as const;
const secret = { visibility: 'private', history: 'all' } as const;
const fresh = { visibility: 'private', history: 'joined' } as const;

test.each<[string, HeardFact, Hearer, FactVisibility]>([
  ['a record is told to nobody, not even its subject', fact({ scope: 'record' }), who({ subject: true, joinedSeq: 1 }), 'nothing'],
  ['what is someone’s own is told to them', fact({ scope: 'member' }), who({ subject: true }), 'whole'],
  ['and to nobody else', fact({ scope: 'member' }), who({ joinedSeq: 1 }), 'nothing'],
  ['a new member is told to the workspace', fact({ scope: 'workspace' }), who(), 'whole'],
  ['not to guests and agents', fact({ scope: 'workspace' }), who({ browses: false }), 'nothing'],
  ['unless it is about them', fact({ scope: 'workspace' }), who({ browses: false, subject: true }), 'whole'],
  ['a public channel is told to the workspace', fact({ scope: 'workspace', conversation: open }), who(), 'whole'],
  ['one that is private now is hidden from those outside', fact({ scope: 'workspace', conversation: secret }), who(), 'hidden'],
  ['and told to those inside', fact({ scope: 'workspace', conversation: secret }), who({ joinedSeq: 3 }), 'whole'],
  ['a message is told to those in the conversation', fact({ messageSeq: 10 }), who({ joinedSeq: 3 }), 'whole'],
  ['and not outside it', fact({ messageSeq: 10 }), who(), 'nothing'],
  ['what happened before one joined is not told', fact({ seq: 2 }), who({ joinedSeq: 3 }), 'nothing'],
  [
    'an edit of an old message is told where history is open',
    fact({ messageSeq: 2, conversation: secret }),
    who({ joinedSeq: 3 }),
    'whole',
  ],
  ['and not where it begins on joining', fact({ messageSeq: 2, conversation: fresh }), who({ joinedSeq: 3 }), 'nothing'],
  ['a newer one is', fact({ messageSeq: 4, conversation: fresh }), who({ joinedSeq: 3 }), 'whole'],
  ['who is taken out is told so', fact({}), who({ subject: true }), 'whole'],
])('[SYS-11] %s', (_, about, hearer, expected) => {
  expect(visibilityOf(about, hearer)).toBe(expected);
});
