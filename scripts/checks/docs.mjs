// The documents must be true: the error codes they list, the files they link to, the commands for a newcomer.

import { posix } from 'node:path';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */

/**
 * @param {SourceFile[]} files
 * @param {readonly string[]} errorCodes
 * @param {(path: string) => boolean} exists by path from the root, for files and directories
 * @returns {string[]}
 */
export function checkDocs(files, errorCodes, exists) {
  return [...errorTable(files, errorCodes), ...brokenLinks(files, exists), ...missingPaths(files, exists), ...missingCommands(files)];
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

/** @param {SourceFile[]} files */
function missingCommands(files) {
  const readme = files.find(({ path }) => path === 'README.md');
  if (readme === undefined) return ['README.md is missing'];
  return ['npm start', 'npm test']
    .filter((command) => !readme.text.includes(command))
    .map((command) => `README.md does not show ${command}`);
}
