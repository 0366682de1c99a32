// The documents must be true: the error codes they list, the files they link to or name, the commands for a newcomer.

import { posix } from 'node:path';
import { importsOf } from './source.mjs';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */

const welcomeBytes = 6_000;
const sectionLines = 15;

/**
 * @param {SourceFile[]} files
 * @param {readonly string[]} errorCodes
 * @param {(path: string) => boolean} exists by path from the root, for files and directories
 * @returns {string[]}
 */
export function checkDocs(files, errorCodes, exists) {
  return [
    ...errorTable(files, errorCodes),
    ...brokenLinks(files, exists),
    ...missingPaths(files, exists),
    ...lostShortPaths(files, exists),
    ...missingCommands(files),
    ...longWelcome(files),
    ...unlistedExamples(files),
    ...longSections(files),
  ];
}

/**
 * @param {SourceFile[]} files
 * @param {readonly string[]} errorCodes
 */
function errorTable(files, errorCodes) {
  const page = files.find(({ path }) => path === 'docs/reference/errors.md');
  if (page === undefined) return ['docs/reference/errors.md is missing; it lists every error code in a table'];
  const listed = [...page.text.matchAll(/^\| *`([a-z_]+)` *\|/gm)].map(([, code = '']) => code);
  return [
    ...errorCodes.filter((code) => !listed.includes(code)).map((code) => `docs/reference/errors.md does not list ${code}`),
    ...listed
      .filter((code) => !errorCodes.includes(code))
      .map((code) => `docs/reference/errors.md lists ${code}, which the protocol does not have`),
    ...listed.filter((code, at) => listed.indexOf(code) !== at).map((code) => `docs/reference/errors.md lists ${code} twice`),
  ];
}

/**
 * @param {SourceFile[]} files
 * @param {(path: string) => boolean} exists
 */
function brokenLinks(files, exists) {
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) => {
      const prose = text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
      return [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?: +"[^"]*")?\)|^\[[^\]]+\]: *(\S+)/gm)]
        .map(([, inline, reference]) => decodeURI(inline ?? reference ?? ''))
        .filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target))
        .filter((target) => {
          const [file = '', anchor] = target.replace(/\?.*$/, '').split('#');
          const page = file === '' ? path : file.startsWith('/') ? file.slice(1) : posix.join(posix.dirname(path), file);
          const found = files.find((other) => other.path === page);
          return !exists(page) || (anchor !== undefined && found !== undefined && !anchorsOf(found.text).has(anchor));
        })
        .map((target) => `${path} links to ${target}, which is not there`);
    });
}

/** The names that a heading gets on the web. @param {string} text */
function anchorsOf(text) {
  const headings = text.replace(/^(`{3,})[\s\S]*?^\1/gm, '').match(/^#+ .+$/gm) ?? [];
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/**
 * A page that names a file of the tree is read beside it. Decisions and the changelog tell of their own time.
 * @param {SourceFile[]} files
 * @param {(path: string) => boolean} exists
 */
function missingPaths(files, exists) {
  return files
    .filter(({ path }) => path.endsWith('.md') && !path.startsWith('docs/adr/') && path !== 'CHANGELOG.md')
    .flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:packages|scripts|docs|spec|bench|examples)\/[\w./-]+)`/g)]
        .map(([, target = '']) => target)
        .filter((target) => !exists(target))
        .map((target) => `${path} names ${target}, which is not there`),
    );
}

/** Pages that lead to files, and shorten their paths. */
const guides = ['CONTRIBUTING.md', 'AGENTS.md', 'docs/architecture.md', 'docs/where-things-are.md'];

/**
 * A short path stands below the folder in its column's heading, or below the path before it in its cell or line, or below a folder of that one.
 * In a column of such a folder everything in code is a path.
 * @param {SourceFile[]} files
 * @param {(path: string) => boolean} exists
 */
function lostShortPaths(files, exists) {
  return files
    .filter(({ path }) => guides.includes(path))
    .flatMap(({ path, text }) => {
      /** @type {string[]} */
      let folders = [];
      return text
        .replace(/^(`{3,})[\s\S]*?^\1/gm, '')
        .split('\n')
        .flatMap((line, at, lines) => {
          if (/^\|[-| ]+\|$/.test(lines[at + 1] ?? '')) folders = cellsOf(line).map((cell) => pathsIn(cell)[0] ?? '');
          if (!line.startsWith('|')) return lostIn(line, '', exists);
          return cellsOf(line).flatMap((cell, column) => lostIn(cell, folders[column] ?? '', exists));
        })
        .map((lost) => `${path} names ${lost}, which is not there`);
    });
}

/** @param {string} row */
const cellsOf = (row) => row.split('|').slice(1, -1);

/** @param {string} text */
const pathsIn = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/**
 * @param {string} text
 * @param {string} folder of its column, or none
 * @param {(path: string) => boolean} exists
 */
function lostIn(text, folder, exists) {
  let before = '';
  return pathsIn(text).filter((code) => {
    if (folder === '' && (before === '' || !/^[\w./-]+\.(?:tsx?|mjs)$/.test(code))) {
      if (/^(?:packages|scripts|docs|spec|bench|examples)\//.test(code)) before = code;
      return false;
    }
    const found = [code, ...[folder, ...upwardsFrom(before)].map((above) => posix.join(above, code))].find(exists);
    before = found ?? before;
    return found === undefined;
  });
}

/** @param {string} path @returns {string[]} the path and the folders that it is in */
const upwardsFrom = (path) => (path.includes('/') ? [path, ...upwardsFrom(posix.dirname(path))] : []);

/** CONTRIBUTING.md welcomes; tables to look things up in have pages of their own. @param {SourceFile[]} files */
function longWelcome(files) {
  const { text = '' } = files.find(({ path }) => path === 'CONTRIBUTING.md') ?? {};
  const bytes = Buffer.byteLength(text);
  return bytes > welcomeBytes
    ? [`CONTRIBUTING.md has ${bytes} bytes; move what people look up to another page (at most ${welcomeBytes})`]
    : [];
}

/** Users read a section of the newest release at once; one that grows is merged or split. @param {SourceFile[]} files */
function longSections(files) {
  const [, newest = ''] = files.find(({ path }) => path === 'CHANGELOG.md')?.text.split(/^## /m) ?? [];
  return newest.split(/^### /m).flatMap((section) => {
    const [title = ''] = section.split('\n');
    const lines = section.match(/^- /gm)?.length ?? 0;
    return lines > sectionLines ? [`CHANGELOG.md has ${lines} lines under "${title}"; sort or merge them (at most ${sectionLines})`] : [];
  });
}

/** A program of the examples that no other imports is one to run. @param {SourceFile[]} files */
function unlistedExamples(files) {
  const index = files.find(({ path }) => path === 'examples/README.md')?.text ?? '';
  const programs = files.filter(({ path }) => /^examples\/[^/]+\/[^/]+\.ts$/.test(path));
  const shared = programs.flatMap((file) => importsOf(file).map(({ specifier }) => posix.join(posix.dirname(file.path), specifier)));
  return programs
    .filter(({ path }) => !shared.includes(path) && !index.includes(`](${path.replace('examples/', '')})`))
    .map(({ path }) => `examples/README.md does not list ${path}, and what it teaches`);
}

/** @param {SourceFile[]} files */
function missingCommands(files) {
  const readme = files.find(({ path }) => path === 'README.md');
  if (readme === undefined) return ['README.md is missing'];
  return ['npm start', 'npm test']
    .filter((command) => !readme.text.includes(command))
    .map((command) => `README.md does not show ${command}`);
}
