import { expect, test } from 'vitest';
import { addressesIn } from '../address/address.ts';
import { isComplete } from './completeness.ts';

const known = new Map([['orac', { handle: 'ORAC', kind: 'agent' as const }]]);
const complete = (text: string): boolean => isComplete(text, addressesIn(text, known));

test.each([
  '^ORAC check the deploy',
  '^ORAC why?',
  '^ORAC stop!',
  '^ORAC!',
  'Stop that, ^ORAC.',
  '^ORAC what is it for',
  '^ORAC can you check the deploy? 🙏',
  '^ORAC run "npm test" (twice)',
  '^ORAC 部署检查一下',
  '^ORAC デプロイを確認してください。',
  '^ORAC fix this:\n```\nlet a = 1;\n```',
  `^ORAC ${'x'.repeat(201)}`,
  '^ORAC prüfe bitte das Deployment',
  '^ORAC take option A',
])('[C2A-4] finished: %j', (text) => expect(complete(text)).toBe(true));

test.each([
  '^ORAC',
  '^ORAC ',
  '^ORAC can you',
  '^ORAC check',
  '^ORAC when someone types,',
  '^ORAC the steps are these:',
  '^ORAC check the deploy and',
  '^ORAC check the deploy, but',
  '^ORAC check the deploy -',
  '^ORAC check the deploy —',
  '^ORAC I was wondering...',
  '^ORAC I was wondering…',
  '^ORAC could you look at the',
  '^ORAC prüfe bitte das Deployment und',
  '^ORAC vérifie le déploiement parce que',
  '^ORAC mira los registros y',
  '^ORAC fix this:\n```\nlet a = 1;',
  '^ORAC 🙏',
  `^ORAC ${'word '.repeat(60)}and`,
])('[C2A-4] unfinished: %j', (text) => expect(complete(text)).toBe(false));

test('[C2A-4] of what follows a first piece only an end mark, closed code or its length says that it is finished', () => {
  expect(['check the deploy', 'check the deploy.', 'x'.repeat(201)].map((text) => isComplete(text, [], true))).toEqual([false, true, true]);
});

// A pattern that starts over at every blank would not come to an end.
test.each<[string, boolean]>([
  [`a${' '.repeat(100_000)}b`, true],
  [`a${'\n'.repeat(100_000)}b`, true],
  [`${') '.repeat(50_000)}and`, false],
  [`${'👩‍👩‍👧‍👦'.repeat(9_000)}x`, true],
  [`${'word '.repeat(20_000)}${'🙏'.repeat(9_000)}`, true],
])('[C2A-4] [SYS-14] 100 KB are read to their end (%#)', (text, finished) => expect(isComplete(text)).toBe(finished));
