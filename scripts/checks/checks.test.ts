// Each check is shown going red: a check that cannot fail checks nothing.

import { describe, expect, it } from 'vitest';
import { checkArrows } from './arrows.mjs';
import { checkForbidden } from './forbidden.mjs';
import { checkLayers, emptyLayers, layers } from './layers.mjs';
import { checkNames } from './names.mjs';
import { checkRules } from './rules.mjs';
import { checkSizes } from './sizes.mjs';
import { checkSql } from './sql.mjs';
import { checkVoice } from './voice.mjs';
import { checkWords } from './words.mjs';

const file = (path: string, text: string) => ({ path, text });

describe('names', () => {
  const a = file('packages/hub/src/a.ts', 'export interface Turn {}');

  it.each(['export type Turn = 1;', 'export class Turn {}', 'export interface Turn {}'])('finds a second %s', (text) => {
    expect(checkNames([a, file('packages/core/src/b.ts', `\n${text}`)])).toEqual([
      'packages/core/src/b.ts:2 exports a type Turn, as packages/hub/src/a.ts does',
    ]);
  });

  it('lets a schema have its type, and tests and inner types their names', () => {
    const schema = file('packages/protocol/src/c.ts', 'export const Wait = 1; export type Wait = 1;');
    const others = [file('packages/core/src/b.test.ts', 'export type Turn = 1;'), file('packages/core/src/b.ts', 'type Turn = 1;')];
    expect(checkNames([a, schema, ...others])).toEqual([]);
  });
});

describe('layers', () => {
  const steps = 'packages/hub/src/engine/steps';

  it('lets a folder import itself and what is below it', () => {
    const files = [file(`${steps}/tasks/a.ts`, `import './b.ts'; import '../facts/c.ts'; import '../../command.ts';`)];
    expect(checkLayers([...files, file(`${steps}/tasks/b.ts`, ''), file(`${steps}/facts/c.ts`, '')])).toEqual([]);
  });

  it.each([
    [`import '../tasks/a.ts';`, `${steps}/facts/c.ts:1 imports tasks, which is not below facts`],
    [`\nimport type { X } from '../people/a.ts';`, `${steps}/facts/c.ts:2 imports people, which is not below facts`],
    [`import './d.ts';`, `${steps}/facts/c.ts → ${steps}/facts/d.ts → ${steps}/facts/c.ts import each other`],
  ])('finds %s', (text, problem) => {
    expect(checkLayers([file(`${steps}/facts/c.ts`, text), file(`${steps}/facts/d.ts`, `import type { X } from './c.ts';`)])).toEqual([
      problem,
    ]);
  });

  it('wants every folder in a layer, and none beside another', () => {
    expect(checkLayers([file(`${steps}/new/a.ts`, `import '../facts/c.ts';`)])).toEqual([
      `${steps}/new is in no layer of scripts/checks/layers.mjs`,
    ]);
    expect(checkLayers([file(`${steps}/new/a.ts`, 'x;')])).toHaveLength(1);
    expect(checkLayers([file('packages/core/src/text/a.ts', `import '../units/b.ts';`)])).toEqual([
      'packages/core/src/text/a.ts:1 imports units, which is not below text',
    ]);
  });
});

describe('folders of the layers', () => {
  it('are there', () => {
    const there = Object.entries(layers).flatMap(([root, order]) =>
      order.flatMap((line) => line.split(' ')).map((folder) => file(`${root}/${folder}/a.ts`, '')),
    );
    expect(emptyLayers(there)).toEqual([]);
    expect(emptyLayers(there.slice(1))).toEqual(['scripts/checks/layers.mjs places packages/core/src/access, which is not there']);
  });
});

describe('arrows', () => {
  const arrow = (path: string, text: string) => checkArrows([file(path, text)]);

  it.each([
    ['packages/core/src/a.ts', `import { x } from '@parley/protocol'; import './b.ts';`],
    ['packages/hub/src/a.ts', `import fs from 'node:fs'; import type { X } from '@parley/core';`],
    ['packages/cli/src/a.ts', `export * from '@parley/hub'; await import('@parley/sdk');`],
    ['packages/web/src/a.tsx', `import { x } from '@parley/sdk'; import '@parley/core';`],
    ['packages/core/src/a.test.ts', `import '@parley/testkit'; import 'node:fs'; Date.now();`],
    ['packages/hub/test/a.test.ts', `import '@parley/testkit';`],
    ['packages/testkit/src/a.ts', `import '@parley/hub'; import '@parley/cli';`],
  ])('%s may have %s', (path, text) => {
    expect(arrow(path, text)).toEqual([]);
  });

  it.each([
    ['packages/protocol/src/a.ts', `import '@parley/core';`, 'imports core, which protocol may not'],
    ['packages/core/src/a.ts', `\nimport type { X } from '@parley/hub';`, 'a.ts:2 imports hub, which core may not'],
    ['packages/core/src/a.ts', `type X = import('@parley/hub').X;`, 'imports hub'],
    ['packages/sdk/src/a.ts', `export { x } from '@parley/core';`, 'imports core, which sdk may not'],
    ['packages/relay/src/a.ts', `await import('@parley/peer');`, 'imports peer, which relay may not'],
    ['packages/web/src/a.ts', `import '@parley/hub';`, 'imports hub, which web may not'],
    ['packages/web/src/a.ts', `import { readFile } from 'fs/promises';`, 'must not depend on Node'],
    ['packages/hub/src/a.ts', `import '@parley/testkit';`, 'imports testkit, which hub may not'],
    ['packages/hub/src/a.ts', `import '../../core/src/access.ts';`, 'reaches into core by a path'],
    ['packages/core/src/a.ts', `import 'node:crypto';`, 'core must not depend on Node'],
    ['packages/new/package.json', '{}', 'packages/new has no row in scripts/checks/arrows.mjs'],
    ['packages/sdk/package.json', `{ "dependencies": { "@parley/hub": "0.1.0", "ws": "1" } }`, 'depends on hub, which sdk may not'],
  ])('%s may not have %s', (path, text, problem) => {
    expect(arrow(path, text)).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    ['Date.now();', 'Date.now'],
    ['new Date();', 'the current date'],
    ['const x = Math.random();', 'Math.random'],
    [`const f = Date['now'];`, 'Date.now'],
    ['setTimeout(() => {}, 1);', 'setTimeout'],
    ['console.log(1);', 'console'],
    ['const { env } = process;', 'process'],
    ['const given = { fetch };', 'fetch'],
    ['performance.now();', 'performance'],
    ['crypto.randomUUID();', 'crypto'],
  ])('a decision may not say %s', (text, use) => {
    expect(arrow('packages/core/src/a.ts', text)).toEqual([`packages/core/src/a.ts:1 uses ${use}; hand it in instead`]);
    expect(arrow('packages/hub/src/a.ts', text)).toEqual([]);
  });

  it.each([
    'new Date(0);',
    '// Date.now()',
    `const s = 'process fetch';`,
    'clock.setTimeout(1);',
    'const o = { console: 1 };',
    'interface X { process: string }',
    'Math.max(1, 2);',
  ])('a decision may say %s', (text) => {
    expect(arrow('packages/core/src/a.ts', text)).toEqual([]);
  });
});

describe('rules', () => {
  // Put together, so that this file does not look like a proof of these rules.
  const [one, two, nine] = [1, 2, 9].map((number) => `SYS-${number}`);
  const spec = file('spec/sys.md', `# SYS\n\n### ${one} One inbox\ntext\n\n### ${two} One chain\ntext\n`);
  const begun = file('spec/begun.json', JSON.stringify([one]));
  const proof = (title: string, path = 'packages/hub/test/a.test.ts') => file(path, `it.each([1, 2])(${JSON.stringify(title)}, () => {});`);
  const unproven = `${one} has begun and no test title carries [${one}]`;

  it('is content with a test title that carries the ID', () => {
    expect(checkRules([spec, begun, proof(`[${one}] holds`)])).toEqual([]);
  });

  it.each([
    ['no test at all', [spec, begun], unproven],
    ['an ID outside a title', [spec, begun, file('a.test.ts', `// [${one}]\nconst s = '[${one}]'; it('x', () => {});`)], unproven],
    ['an ID in a suite nobody runs', [spec, begun, proof(`[${one}]`, 'packages/testkit/src/a.ts')], unproven],
    [
      'a test for an unknown rule',
      [spec, begun, proof(`[${one}] and [${nine}]`)],
      `packages/hub/test/a.test.ts cites ${nine}, which spec/ does not define`,
    ],
    [
      'an unknown rule begun',
      [spec, file('spec/begun.json', JSON.stringify([one, nine])), proof(`[${one}]`)],
      `spec/begun.json names ${nine}, which spec/ does not define`,
    ],
    [
      'a rule defined twice',
      [spec, begun, proof(`[${one}]`), file('spec/sys.md', `### ${one} Again`)],
      `spec/sys.md defines ${one} a second time`,
    ],
    [
      'a rule in another family',
      [spec, begun, proof(`[${one}]`), file('spec/pap.md', `### ${nine} Lost`)],
      `${nine} does not belong in spec/pap.md`,
    ],
    ['no list of begun rules', [spec], 'spec/begun.json is missing or names no rule'],
  ])('is red for %s', (_, files, problem) => {
    expect(checkRules(files)).toEqual([problem]);
  });
});

describe('voice', () => {
  it.each([
    'An agent waits for approval. The hub notifies its owner.',
    '| What makes a task? | A line that says so. |',
    '## What you get',
    'The code `is told` and `lapsed` are names on the wire.',
    'See [a page](whoever.md).',
    'Nobody knows what happened. The person who asked can retry it.',
  ])('is content with %s', (text) => {
    expect(checkVoice([file('docs/a.md', text)])).toEqual([]);
  });

  it.each([
    ['It waits for a yes.', 'says "a yes"'],
    ['The work is given on.', 'says "given on"'],
    ['Its owner is told.', 'says "is told"'],
    ['The money is set aside.', 'says "set aside"'],
    ['The timer stands still.', 'says "stands still"'],
    ['It could not be brought where it should go.', 'says "brought where"'],
    ['Ask whoever wrote it.', 'says "whoever"'],
    ['It ends. What is left goes back.', 'begins a sentence with "What is left goes back."'],
    ['- Who asks is shown.', 'begins a sentence with "Who asks is shown."'],
    ['| `x` | What it costs. |', 'begins a sentence with "What it costs."'],
    ['x'.repeat(401), 'has 401 characters'],
  ])('is red for %s', (text, problem) => {
    expect(checkVoice([file('docs/a.md', `# A\n${text}`)])).toEqual([expect.stringContaining(`docs/a.md:2 ${problem}`)]);
  });

  it.each([
    ['// It asks\n// whoever is there.', 1],
    ['/** Nothing. What is left goes back. */', 1],
    ['/** What a turn costs. */', 0],
    ["const a = 'Its owner is told.';", 1],
    ['const a = `${n} tasks stand still.`;', 1],
    ["const a = 'lapsed';", 0],
  ])('finds in the code %s: %i', (text, problems) => {
    expect(checkVoice([file('packages/hub/src/a.ts', text)])).toHaveLength(problems);
    expect(checkVoice([file('packages/hub/test/a.test.ts', text)])).toEqual([]);
  });

  it.each([
    ['/** It ends. */', 'begins a sentence with "It ends."'],
    ['// The agent waits. Its owner\n// gets a notice.', 'begins a sentence with "Its owner gets a notice."'],
    ['/** What a turn costs. */', 'begins a sentence with "What a turn costs."'],
    ['const told = 1;', 'names a variable "told"'],
    ['function end(given: object): void {}', 'names a variable "given"'],
    ['const { a: left, ...more } = row;', 'names a variable "left"'],
  ])('is red in a folder that was read aloud for %s', (text, problem) => {
    expect(checkVoice([file('packages/hub/src/engine/a.ts', text)])[0]).toContain(`packages/hub/src/engine/a.ts:1 ${problem}`);
    expect(checkVoice([file('packages/hub/src/demo/a.ts', text)])).toEqual([]);
  });

  it('leaves the names of fields, and what stands after a colon, to their owners', () => {
    const text = '/** Undefined: it has ended. `It` is a name. */\nconst { left } = row;\nconst a = { told: row.given };';
    expect(checkVoice([file('packages/hub/src/engine/a.ts', text)])).toEqual([]);
  });

  it.each([
    ["test('[SYS-1] what ends', run);", 1],
    ["test('its owner is told', run);", 2],
    ["test.each(rows)('[SYS-1] [SYS-2] %s stands still', run);", 1],
    ["test('[SYS-1] the owner gets a notice', run);", 0],
  ])('reads the title of %s', (text, problems) => {
    expect(checkVoice([file('packages/sdk/src/a.test.ts', text)])).toHaveLength(problems);
    expect(checkVoice([file('packages/relay/src/a.test.ts', text)])).toEqual([]);
  });

  it('finds files that a comment names and that are gone', () => {
    const [here, there] = [file('packages/hub/src/a/b.ts', '// See c.ts, a/b.ts, gone.ts and *.full.test.ts.'), file('bench/c.ts', '')];
    expect(checkVoice([here, there])).toEqual([expect.stringContaining('names gone.ts, which does not exist')]);
  });

  it('reads the bench', () => {
    expect(checkVoice([file('bench/a.ts', '// The owner is told.')])).toHaveLength(1);
  });

  it('reads the newest release of the changelog, and no code in documents', () => {
    const old = '## 1\n\n- Its owner is told.\n';
    expect(checkVoice([file('CHANGELOG.md', `# Changelog\n\n## 2\n\n- Owners get a notice.\n\n${old}`)])).toEqual([]);
    expect(checkVoice([file('CHANGELOG.md', `# Changelog\n\n${old}`)])).toHaveLength(1);
    expect(checkVoice([file('docs/a.md', '```sh\necho whoever\n```')])).toEqual([]);
  });
});

describe('words', () => {
  const core = file(
    'packages/core/src/task/task-texts.ts',
    `export const stateTexts = { queued: 'queued', active: 'working', failed: 'failed', declined: 'declined' };
     const inner = { one: 'The first', two: 'The second', three: 'The third' };`,
  );
  const found = (text: string, path = 'packages/web/src/a.ts') => checkWords([core, file(path, text)]);

  it.each([
    `const states = { queued: 'in the queue', active: 'at work', failed: 'has failed' };`,
    `const states = { queued: () => 'Queued', active: (n) => \`at work for \${n}\`, failed: x };`,
  ])('finds a second table: %s', (text) => {
    expect(found(`\n${text}`)).toEqual(['packages/web/src/a.ts:2 words what stateTexts of core words; use that']);
  });

  it.each([
    ['class names', `const looks = { queued: 'bg-a text-b', active: 'bg-c', failed: 'bg-d text-e' };`],
    ['marks', `const marks = { queued: ' …', active: ' ✓', failed: ' ✗' };`],
    ['states of another set', `const next = { queued: 'begin', active: 'time_out', failed: 'end' };`],
    ['a few cases', `const hints = { queued: 'start the agent', failed: 'read the log' };`],
    ['another set', `const kinds = { queued: 'in line', a: 'an a', b: 'a b', c: 'a c', d: 'a d' };`],
    ['a set whose words core keeps to itself', `const counts = { one: 'the first', two: 'the second', three: 'the third' };`],
  ])('lets %s be', (_, text) => {
    expect(found(text)).toEqual([]);
  });

  it('lets core and tests have theirs', () => {
    const text = `const states = { queued: 'in the queue', active: 'at work', failed: 'has failed' };`;
    expect([...found(text, 'packages/core/src/a.ts'), ...found(text, 'packages/web/src/a.test.ts')]).toEqual([]);
  });
});

describe('sizes', () => {
  const lines = (count: number, top = '') => file('a.ts', `${top}\n`.repeat(top === '' ? 0 : 1) + 'x;\n'.repeat(count));

  it('lets a file be long only for a reason', () => {
    expect(checkSizes([lines(400)])).toEqual([]);
    expect(checkSizes([lines(401)])).toEqual([expect.stringContaining('a.ts has 401 lines')]);
    expect(checkSizes([lines(401, '// All about x.')])).toHaveLength(1);
    expect(checkSizes([lines(401, '// Long because the table is one thing.')])).toEqual([]);
  });
});

describe('sql', () => {
  it.each([
    "'where id = ?'",
    "'where seq > ? and seq <= ?'",
    '`where ${column} in {list}`',
    "'order by seq'",
    "'select max(seq) as seq from messages'",
    '`select a\n from b`',
    '"kind = ? and removed_at is null"',
    "'delete from members'",
    "'update members set handle = 1'",
  ])('finds %s outside the store', (text) => {
    const code = `\nconst text = ${text};`;
    expect(checkSql([file('packages/hub/src/doors/a.ts', code)])).toEqual([
      'packages/hub/src/doors/a.ts:2 has SQL text; put the read into store/reads',
    ]);
    const inStore = ['packages/hub/src/store/reads/a.ts', 'packages/hub/src/doors/a.test.ts', 'packages/hub/test/a.test.ts'];
    expect(checkSql(inStore.map((path) => file(path, code)))).toEqual([]);
  });

  it.each([
    "'where it is edited, below the data folder; null: over the API'",
    "'its `content` is null until you pull it'",
    "'select'",
    '// where id = ?\n1',
    '`${name} = ${value}?`',
  ])('lets %s be', (text) => {
    expect(checkSql([file('packages/hub/src/doors/a.ts', `const text = ${text};`)])).toEqual([]);
  });
});

describe('forbidden', () => {
  // Put together, so that this file does not hold them itself.
  const [slash, dot, space] = ['/', '.', ' '];
  it.each([
    ['a path of one machine', `cd ${slash}work${slash}main`],
    ['an address of a package registry', `https:${slash}${slash}npm-registry.example${slash}x`],
    ['an address of a package registry', ['registry', 'npmjs', 'org'].join('.')],
    ['a download address in a lockfile', `"resolved":${space}"http://x"`],
    ['a test that is switched off or alone', `it${dot}only('x')`],
    ['a test that is switched off or alone', `describe${dot}skip('x')`],
    ['a test that is switched off or alone', `test${dot}todo('x')`],
    ['the host name of a package registry', 'see mirror.example.net'],
  ])('finds %s', (what, text) => {
    expect(checkForbidden([file('a.ts', `\n${text}`)], ['mirror.example.net'])).toEqual([`a.ts:2 has ${what}`]);
  });

  it('lets words be words', () => {
    expect(checkForbidden([file('a.ts', `import './registry.test.ts'; // the registry. It works/`), file('a.md', `it${dot}only`)])).toEqual(
      [],
    );
  });
});
