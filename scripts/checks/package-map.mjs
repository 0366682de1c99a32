// The map of packages and folders, made from the tables in the READMEs of the packages, and the tables of docs/architecture.md,
// made from the checks that enforce them. A folder without a line, a line without a folder and a page that was not written
// again are problems.

import { posix } from 'node:path';
import { arrows } from './arrows.mjs';
import { layers } from './layers.mjs';
import { isCodeFile, isTestFile } from './source.mjs';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */

export const mapPath = 'docs/package-map.md';
export const architecturePath = 'docs/architecture.md';

const row = /^\| `([^`]+)` \| (.+) \|$/gm;

/**
 * @param {SourceFile[]} files
 * @returns {string}
 */
export function packageMap(files) {
  const parts = packagesOf(files).map(({ name, summary, folders }) => {
    const lines = folders.map(({ folder, text }) => `| \`${folder}\` | ${text} |`);
    return `## ${name}\n\n${summary}\n\n| folder of \`packages/${name}\` | holds |\n|---|---|\n${lines.join('\n')}\n`;
  });
  return `# Package map\n\nEvery package and folder in one line. \`node scripts/package-map.mjs\` writes this page from the README of each package.\n\n${parts.join('\n')}`;
}

/**
 * @param {SourceFile[]} files
 * @returns {string[]}
 */
export function checkPackageMap(files) {
  const present = new Set(files.filter(isSource).map(({ path }) => posix.dirname(path)));
  const listed = packagesOf(files).flatMap(({ name, folders }) => folders.map(({ folder }) => `packages/${name}/${folder}`));
  const problems = [
    ...[...present].filter((folder) => !listed.includes(folder)).map((folder) => `${readmeOf(folder)} has no line for ${folder}`),
    ...listed.filter((folder) => !present.has(folder)).map((folder) => `${readmeOf(folder)} lists ${folder}, which holds no code`),
  ];
  problems.push(...lostFiles(files));
  if (problems.length > 0) return problems;
  const written = { [mapPath]: packageMap(files), [architecturePath]: architecture(files) };
  return [
    ...tablesFor(files).flatMap(([name]) =>
      textOf(files, architecturePath)?.includes(opening(name)) ? [] : [`${architecturePath} has no place for the table ${name}`],
    ),
    ...Object.entries(written)
      .filter(([path, page]) => textOf(files, path) !== page)
      .map(([path]) => `${path} is out of date; run \`node scripts/package-map.mjs\``),
  ];
}

/** A file that a README names without its folder is in the folder of its row. @param {SourceFile[]} files */
function lostFiles(files) {
  const present = new Set(files.map(({ path }) => path));
  return packagesOf(files).flatMap(({ name, folders }) =>
    folders.flatMap(({ folder, text }) =>
      [...text.matchAll(/`([\w-]+\.(?:tsx?|mjs))`/g)]
        .filter(([, file = '']) => !present.has(`packages/${name}/${folder}/${file}`))
        .map(([, file]) => `packages/${name}/README.md names ${file}, which is not in ${folder}`),
    ),
  );
}

/**
 * The page with its tables of packages and layers written anew, each between `<!-- NAME -->` and `<!-- end -->`.
 * @param {SourceFile[]} files
 * @returns {string}
 */
export function architecture(files) {
  const tables = new Map(tablesFor(files));
  return (textOf(files, architecturePath) ?? '').replace(
    /<!-- ((?!end )\S+) -->\n[^]*?<!-- end -->/g,
    (_, name) => `${opening(name)}\n\n${tables.get(name) ?? `No check knows ${name}.`}\n\n<!-- end -->`,
  );
}

/** @param {SourceFile[]} files @returns {[string, string][]} */
const tablesFor = (files) => [['packages', packageTable(files)], ...Object.entries(layers).map(layerTable)];

/** @param {string} name */
const opening = (name) => `<!-- ${name} -->`;

/** @param {SourceFile[]} files */
function packageTable(files) {
  const summaries = new Map(packagesOf(files).map(({ name, summary }) => [name, /^.+?\.(?= |\n|$)/.exec(summary)?.[0] ?? '']));
  const allowed = [
    ...Object.entries(arrows).map(([name, below]) => [name, below.join(', ') || '–']),
    ['testkit', 'all; only tests import it'],
  ];
  const rows = allowed.map(([name = '', below]) => `| \`${name}\` | ${summaries.get(name)} | ${below} | ${entriesOf(files, name)} |`);
  return ['| package | holds | may import | entries beside the main one |', '|---|---|---|---|', ...rows].join('\n');
}

/** @param {SourceFile[]} files @param {string} name */
function entriesOf(files, name) {
  const { exports = {} } = /** @type {{ exports?: Record<string, string> }} */ (
    JSON.parse(textOf(files, `packages/${name}/package.json`) ?? '{}')
  );
  const entries = Object.entries(exports).filter(([entry, path]) => entry !== '.' && path.startsWith('./src/'));
  return entries.map(([entry]) => `\`${entry.slice(2)}\``).join(', ') || '–';
}

/** @param {[string, readonly string[]]} layers @returns {[string, string]} */
function layerTable([root, order]) {
  const rows = order.map(
    (folders, at) =>
      `| ${at + 1} | ${folders
        .split(' ')
        .map((folder) => `\`${folder}\``)
        .join(', ')} |`,
  );
  return [root, [`| layer | folders of \`${root}\` |`, '|---|---|', ...rows].join('\n')];
}

/** @param {SourceFile[]} files @param {string} page */
const textOf = (files, page) => files.find(({ path }) => path === page)?.text;

/** @param {SourceFile[]} files */
function packagesOf(files) {
  return files.flatMap(({ path, text }) => {
    const [, name] = /^packages\/([^/]+)\/README\.md$/.exec(path) ?? [];
    if (name === undefined) return [];
    const [, summary = ''] = /^# .+\n\n([^|]+?)\n\n\|/.exec(text) ?? [];
    const folders = [...text.matchAll(row)].map(([, folder = '', line = '']) => ({ folder, text: line }));
    return [{ name, summary: summary.replace(/\]\(\.\.\/\.\.\/docs\//g, ']('), folders }];
  });
}

/** @param {SourceFile} file */
const isSource = (file) => /^packages\/[^/]+\/src\//.test(file.path) && isCodeFile(file.path) && !isTestFile(file.path);

/** @param {string} folder */
const readmeOf = (folder) => `packages/${folder.split('/')[1]}/README.md`;
