// Every rule of spec/ has an ID; tests carry the IDs they prove in their titles. A rule whose work has begun needs such a test.

import { isCodeFile, isTestFile, testTitles } from './source.mjs';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */

const heading = /^### ((?:PAP|C2A|PRV|IAC|A2C|SYS)-\d+) \S/gm;
const citation = /\[((?:PAP|C2A|PRV|IAC|A2C|SYS)-\d+)\]/g;

/**
 * @param {SourceFile[]} files
 * @returns {string[]}
 */
export function checkRules(files) {
  const headings = files
    .filter(({ path }) => /^spec\/[^/]+\.md$/.test(path))
    .flatMap(({ path, text }) => [...text.matchAll(heading)].map(([, id = '']) => ({ id, path })));
  const known = new Set(headings.map(({ id }) => id));
  const begun = /** @type {string[]} */ (JSON.parse(files.find(({ path }) => path === 'spec/begun.json')?.text ?? '[]'));

  const cited = files
    .filter(({ path }) => isTestFile(path) || (path.startsWith('packages/testkit/') && isCodeFile(path)))
    .map((file) => ({
      path: file.path,
      ids: testTitles(file).flatMap((title) => [...title.matchAll(citation)].map(([, id = '']) => id)),
    }));
  const proven = new Set(cited.filter(({ path }) => isTestFile(path)).flatMap(({ ids }) => ids));

  return [
    ...(begun.length === 0 ? ['spec/begun.json is missing or names no rule'] : []),
    ...headings
      .filter(({ id }, at) => headings.findIndex((other) => other.id === id) !== at)
      .map(({ id, path }) => `${path} defines ${id} a second time`),
    ...misfiled(headings),
    ...begun.filter((id) => !known.has(id)).map((id) => `spec/begun.json names ${id}, which spec/ does not define`),
    ...cited.flatMap(({ path, ids }) => ids.filter((id) => !known.has(id)).map((id) => `${path} cites ${id}, which spec/ does not define`)),
    ...begun.filter((id) => known.has(id) && !proven.has(id)).map((id) => `${id} has begun and no test title carries [${id}]`),
  ];
}

/** A family's file holds that family only, so that an ID tells where to look. @param {{ id: string, path: string }[]} headings */
function misfiled(headings) {
  return headings
    .filter(({ id, path }) => path !== `spec/${id.split('-')[0]?.toLowerCase()}.md`)
    .map(({ id, path }) => `${id} does not belong in ${path}`);
}
