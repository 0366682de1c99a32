import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { attentionList } from './attend.ts';
import {
  verdictFor,
  exceptions,
  rulesVersion,
  type MessageVerdicts,
  packVerdict,
  wasWithheld,
  packVerdicts,
  unpackVerdicts,
} from './verdict.ts';

/** What decides: the list, and the classifiers with their words. */
const sources = [
  'attention/attend',
  'attention/message-wording',
  'classify/filler',
  'classify/words/filler',
  'classify/leave-request',
  'classify/words/leave-request',
  'classify/words/english',
  'classify/words/german',
  'classify/words/french',
  'classify/words/spanish',
  'classify/words/turkish',
  'classify/words/japanese',
  'classify/words/further-languages',
  'classify/status',
  'classify/words/status',
  'classify/question',
  'classify/clear-question',
  'classify/words/clear-question',
  'classify/words/statement',
  'classify/asking',
  'classify/words/asking',
  'text/spoken-text',
  'text/phrases',
];

/** Comments, imports and layout decide nothing. */
const codeOf = (name: string): string =>
  readFileSync(new URL(`../${name}.ts`, import.meta.url), 'utf8')
    .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    .replaceAll(/^import [^;]*;$/gm, '')
    .replaceAll(/\s+/g, '');

function fingerprint(): string {
  const rows = attentionList.map(({ line, when, policy, mode, reason }) => [line, when, policy, mode, reason]);
  const hash = createHash('sha256').update(JSON.stringify(rows));
  for (const name of sources) hash.update(codeOf(name));
  return hash.digest('hex').slice(0, 16);
}

test('[C2A-32] another list or another classifier is another version of the rules', () => {
  // When this fails: raise `rulesVersion`, unless the version has never been released, and put the new fingerprint here.
  expect({ version: rulesVersion, fingerprint: fingerprint() }).toEqual({ version: 1, fingerprint: '425ad8c2b35aaf69' });
});

const ambient = { policy: 'must_not_respond', mode: 'tool_mailbox', reason: 'ambient', task: false } as const;
const mention = { policy: 'must_respond', mode: 'buffered', reason: 'mention', task: true } as const;
const filler = { ...ambient, reason: 'filler' } as const;

test('[C2A-32] one verdict for all, and one for each agent that got another', () => {
  const { except } = exceptions(ambient, [
    ['a', mention],
    ['b', ambient],
  ]);
  expect(except).toEqual({ a: ['must_respond', 'buffered', 'mention', true] });
  expect(exceptions(ambient, [['b', ambient]])).toEqual({});
  const verdicts: MessageVerdicts = { rules: 1, floor: 'polite', words: {}, others: packVerdict(ambient), except: except! };
  expect(verdictFor(verdicts, 'a')).toEqual(mention);
  expect(verdictFor(verdicts, 'anyone')).toEqual(ambient);
});

test('[C2A-14] [C2A-32] from whom filler was withheld is kept, by name or for all', () => {
  const verdicts: MessageVerdicts = { rules: 1, floor: 'polite', words: { filler: true }, others: packVerdict(filler), withheld: ['a'] };
  expect([wasWithheld(verdicts, 'a'), wasWithheld(verdicts, 'b')]).toEqual([true, false]);
  const all: MessageVerdicts = { ...verdicts, withheld: true, except: { c: packVerdict({ ...ambient, reason: 'left' }) } };
  expect([wasWithheld(all, 'b'), wasWithheld(all, 'c')]).toEqual([true, false]);
});

test('[C2A-32] a usual verdict is not stored and is read the same; nothing else is left out', () => {
  const nobody: MessageVerdicts = { rules: 1, floor: 'polite', words: { filler: false, status: false }, others: packVerdict(ambient) };
  expect(packVerdicts(nobody)).toEqual({ rules: 1 });
  const others: MessageVerdicts[] = [
    nobody,
    { ...nobody, floor: 'open' },
    { ...nobody, words: {} },
    { ...nobody, words: { filler: false } },
    { ...nobody, words: { filler: false, status: true } },
    { ...nobody, words: { filler: false, status: false, question: false } },
    { ...nobody, others: packVerdict(filler), withheld: true },
    { ...nobody, others: packVerdict(mention) },
    { ...nobody, urgent: true, notification: true, to: { all: true }, except: { a: packVerdict(mention) } },
  ];
  for (const verdicts of others) {
    expect(unpackVerdicts(packVerdicts(verdicts))).toEqual(verdicts);
    // As facts were written before.
    expect(unpackVerdicts(verdicts)).toEqual(verdicts);
  }
});
