// The checks of the pages: what they name and link to, and the tables that a script writes.

import { describe, expect, it } from 'vitest';
import { checkDocs } from './docs.mjs';
import { layers } from './layers.mjs';
import { architecture, checkPackageMap, packageMap } from './package-map.mjs';

const file = (path: string, text: string) => ({ path, text });

describe('docs', () => {
  const errors = file('docs/reference/errors.md', '# Codes\n\n| code | status |\n|---|---|\n| `gone` | 410 |\n| `full` | 507 |\n');
  const readme = file(
    'README.md',
    'Run `npm start`, `npm test`; see [errors](docs/reference/errors.md#codes) and [us](https://example.org).',
  );
  const docs = (...files: { path: string; text: string }[]) =>
    checkDocs(files, ['gone', 'full'], (path) => files.some((other) => other.path === path));

  const heading = '| subject | decides: `packages/core/src` | elsewhere |\n|---|---|---|\n';
  const tree = ['packages/core/src', 'packages/core/src/address/a.ts', 'packages/hub/src/c.ts'].map((path) => file(path, ''));

  it('follows a short path from the heading of its column and from the path before it', () => {
    const row = '| `^NAME` | `address/a.ts` | `packages/hub/src/c.ts`, as in `packages/core/src/address` (`a.ts`, `limit`) |\n';
    const folder = file('packages/core/src/address', '');
    expect(docs(errors, readme, ...tree, folder, file('docs/where-things-are.md', heading + row))).toEqual([]);
  });

  it('is content when codes, links and commands agree', () => {
    expect(docs(errors, readme)).toEqual([]);
  });

  it.each([
    [
      'an unlisted code',
      [file(errors.path, errors.text.replace('| `gone` | 410 |\n', '')), readme],
      'docs/reference/errors.md does not list gone',
    ],
    [
      'a code of the past',
      [file(errors.path, `${errors.text}| \`old\` | 400 |\n`), readme],
      'docs/reference/errors.md lists old, which the protocol does not have',
    ],
    ['a code listed twice', [file(errors.path, `${errors.text}| \`full\` | 507 |\n`), readme], 'docs/reference/errors.md lists full twice'],
    ['a broken link', [errors, readme, file('docs/a.md', '[x](../nowhere.md)')], 'docs/a.md links to ../nowhere.md, which is not there'],
    [
      'a heading that is gone',
      [errors, readme, file('docs/a.md', '# Set up `it`\n\n[x](#set-up-it) [y](reference/errors.md#closing)')],
      'docs/a.md links to reference/errors.md#closing, which is not there',
    ],
    [
      'a path that is gone',
      [errors, readme, file('docs/a.md', 'See `packages/hub/src/gone.ts`.')],
      'docs/a.md names packages/hub/src/gone.ts, which is not there',
    ],
    [
      'a short path that is gone',
      [
        errors,
        readme,
        ...tree,
        file('docs/where-things-are.md', `${heading}| stop | \`address/a.ts\` (\`b.ts\`) | \`packages/hub/src/c.ts\` |\n`),
      ],
      'docs/where-things-are.md names b.ts, which is not there',
    ],
    [
      'a folder that is gone',
      [errors, readme, ...tree, file('docs/where-things-are.md', `${heading}| stop | \`addresses\` | – |\n`)],
      'docs/where-things-are.md names addresses, which is not there',
    ],
    [
      'a file that is gone behind a path',
      [errors, readme, ...tree, file('AGENTS.md', 'See `packages/hub/src/c.ts` and `d.ts`.')],
      'AGENTS.md names d.ts, which is not there',
    ],
    [
      'a welcome that became a reference',
      [errors, readme, file('CONTRIBUTING.md', 'word '.repeat(1_300))],
      'CONTRIBUTING.md has 6500 bytes; move what people look up to another page (at most 6000)',
    ],
    [
      'an example that the index does not list',
      [
        errors,
        readme,
        file('examples/README.md', '[b](a/b.ts)'),
        file('examples/a/b.ts', `import './kit.ts';`),
        file('examples/a/c.ts', ''),
        file('examples/a/kit.ts', ''),
      ],
      'examples/README.md does not list examples/a/c.ts, and what it teaches',
    ],
    [
      'a section of the changelog that grew',
      [errors, readme, file('CHANGELOG.md', `## 2\n\n### Page\n\n${'- One.\n'.repeat(16)}\n## 1\n\n${'- Old.\n'.repeat(20)}`)],
      'CHANGELOG.md has 16 lines under "Page"; sort or merge them (at most 15)',
    ],
    ['a missing command', [errors, file('README.md', 'npm start')], 'README.md does not show npm test'],
    ['no README', [errors], 'README.md is missing'],
  ])('is red for %s', (_, files, problem) => {
    expect(docs(...files)).toEqual([problem]);
  });

  it('is red without the page of errors', () => {
    expect(checkDocs([file('README.md', 'npm start npm test')], ['gone'], () => true)).toEqual([
      expect.stringContaining('docs/reference/errors.md is missing'),
    ]);
  });

  it('does not follow links in code', () => {
    expect(docs(errors, readme, file('docs/a.md', '```\n[x](nowhere)\n```\nand `[x](nowhere)`'))).toEqual([]);
  });
});

describe('map', () => {
  const readme = file('packages/hub/README.md', '# hub\n\nThe server.\n\n| folder | holds |\n|---|---|\n| `src` | the start |\n');
  const source = file('packages/hub/src/a.ts', 'x;');
  const places = ['packages', ...Object.keys(layers)].map((name) => `<!-- ${name} -->\n<!-- end -->\n`);
  const written = (...files: { path: string; text: string }[]) => {
    const tree = [...files, file('docs/architecture.md', places.join('Words.\n'))];
    return [...files, file('docs/package-map.md', packageMap(tree)), file('docs/architecture.md', architecture(tree))];
  };

  it('is content with a line for each folder and a map of them', () => {
    expect(checkPackageMap(written(readme, source))).toEqual([]);
    expect(packageMap([readme, source])).toContain('## hub\n\nThe server.\n\n| folder of `packages/hub` | holds |');
  });

  it.each([
    [
      'a folder without a line',
      [readme, source, file('packages/hub/src/doors/b.ts', 'x;')],
      'README.md has no line for packages/hub/src/doors',
    ],
    ['a line without a folder', [readme], 'README.md lists packages/hub/src, which holds no code'],
    [
      'a file that is elsewhere',
      [file(readme.path, readme.text.replace('the start', '`b.ts`, the start')), source],
      'README.md names b.ts, which is not in src',
    ],
  ])('is red for %s', (_, files, problem) => {
    expect(checkPackageMap(written(...files))).toEqual([`packages/hub/${problem}`]);
  });

  it('writes the tables of the architecture from the arrows and layers, and keeps its words', () => {
    const page = written(readme, source).at(-1)?.text;
    expect(page).toContain('| `hub` | The server. | core, protocol | – |');
    expect(page).toContain('| layer | folders of `packages/hub/src/engine/steps` |\n|---|---|\n| 1 | `facts` |');
    expect(page?.split('Words.\n')).toHaveLength(places.length);
  });

  it.each(['docs/package-map.md', 'docs/architecture.md'])('is red for a %s that was not written again', (path) => {
    const old = written(readme, source).map((page) => (page.path === path ? file(path, page.text.replace('The server.', 'Old.')) : page));
    expect(checkPackageMap(old)).toEqual([`${path} is out of date; run \`node scripts/package-map.mjs\``]);
  });

  it('is red for an architecture without one of its tables', () => {
    const lacking = written(readme, source).map(({ path, text }) => file(path, text.replace('<!-- packages -->', '')));
    expect(checkPackageMap(lacking)).toEqual(['docs/architecture.md has no place for the table packages']);
  });
});
