// The map of packages and folders, made from the tables in the READMEs of the packages. A folder without a line, a line
// without a folder and a map that was not written again are problems.

import { posix } from 'node:path';
import { isCodeFile, isTestFile } from './source.mjs';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */

export const mapPath = 'docs/package-map.md';

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
  if (problems.length > 0) return problems;
  const written = files.find(({ path }) => path === mapPath)?.text;
  return written === packageMap(files) ? [] : [`${mapPath} is out of date; run \`node scripts/package-map.mjs\``];
}

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
