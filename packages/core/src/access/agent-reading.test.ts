import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Readable, readableFrom, type ReadingScope } from './agent-reading.ts';

const room = (over: Partial<Omit<Readable, 'joinedSeq'>>, joined: Record<string, number> = {}): Readable => ({
  public: false,
  fromJoining: false,
  ...over,
  joinedSeq: (id) => joined[id],
});
const ann: ReadingScope = { id: 'ann', guest: false };
const bob: ReadingScope = { id: 'bob', guest: false };
const orac: ReadingScope = { id: 'orac', guest: false };
const guest: ReadingScope = { id: 'gus', guest: true };

test.each<[string, Readable, ReadingScope[], number | undefined]>([
  ['a private room all of them are in', room({}, { ann: 3, orac: 9 }), [ann, orac], 0],
  ['not a private room the requester is not in', room({}, { orac: 9 }), [ann, orac], undefined],
  ['not a private room the agent is not in', room({}, { ann: 9 }), [ann, orac], undefined],
  ['not a private room one listener is not in', room({}, { ann: 3, orac: 9 }), [ann, orac, bob], undefined],
  ['a public room nobody is in', room({ public: true }), [ann, bob, orac], 0],
  ['not a public room before a guest who is not in it', room({ public: true }), [ann, guest], undefined],
  ['a public room before a guest who is in it', room({ public: true }, { gus: 4 }), [ann, guest], 0],
  ['from where the last of them joined', room({ fromJoining: true }, { ann: 3, orac: 9 }), [ann, orac], 9],
  [
    'nothing that was said before one joined who has not',
    room({ public: true, fromJoining: true }, { ann: 3 }),
    [ann, bob],
    Number.MAX_SAFE_INTEGER,
  ],
])('[SYS-9] may be read: %s', (_, conversation, readers, expected) => {
  expect(readableFrom(conversation, { readers, open: false })).toBe(expected);
});

test.each<[string, Readable, number | undefined]>([
  ['another public room', room({ public: true }), 0],
  ['not a private room, though all who are there are in it', room({}, { ann: 3, orac: 9 }), undefined],
])('[SYS-9] may be read for a public room, where people hear it who are not in it: %s', (_, conversation, expected) => {
  expect(readableFrom(conversation, { readers: [ann, orac], open: true })).toBe(expected);
});

test('[SYS-9] for nobody there is nothing to read', () => {
  expect(readableFrom(room({ public: true, fromJoining: false }, {}), { readers: [], open: false })).toBeUndefined();
});

test('[SYS-9] one more listener never lets more be read', () => {
  const joined = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(100));
  const readers = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), guest: fc.boolean() }), { minLength: 2 });
  fc.assert(
    fc.property(joined, fc.boolean(), fc.boolean(), fc.boolean(), readers, (places, isPublic, fromJoining, open, all) => {
      const conversation = room({ public: isPublic, fromJoining }, places);
      const from = readableFrom(conversation, { readers: all, open }) ?? Infinity;
      expect(from).toBeGreaterThanOrEqual(readableFrom(conversation, { readers: all.slice(1), open }) ?? Infinity);
      expect(from).toBeGreaterThanOrEqual(readableFrom(conversation, { readers: all, open: false }) ?? Infinity);
    }),
  );
});
