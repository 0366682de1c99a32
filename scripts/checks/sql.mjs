// SQL text stands in the stores only. Everybody else reads by typed conditions, or by a named read of store/reads.

import { isCodeFile, isTestFile, lineAt, visitFile } from './source.mjs';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */
/** @typedef {import('./source.mjs').Node} Node */

const sign = '(?:=|<>|!=|[<>]=?)';
const sql = new RegExp(
  [
    String.raw`\bselect\s[\s\S]+?\sfrom\s+\S`,
    String.raw`\b(?:insert into|delete from|order by|group by)\s+\S`,
    String.raw`\bupdate\s+\S+\s+set\s`,
    String.raw`\w\s*${sign}\s*\?(?!\S)`,
    String.raw`\bwhere\s+\w+\s*${sign}`,
    String.raw`\b(?:where|and|or)\s+\w+ is (?:not )?null\b`,
    String.raw`\bin \{list\}`,
  ].join('|'),
);

/**
 * @param {SourceFile[]} files
 * @returns {string[]}
 */
export function checkSql(files) {
  return files
    .filter(({ path }) => /^packages\/[^/]+\/src\//.test(path) && isCodeFile(path) && !isTestFile(path))
    .filter(({ path }) => !/^packages\/(?:peer|hub|relay)\/src\/store\//.test(path) && !path.startsWith('packages/testkit/'))
    .flatMap((file) => {
      /** @type {string[]} */
      const problems = [];
      visitFile(file, (node) => {
        if (sql.test(textOf(node))) problems.push(`${file.path}:${lineAt(file, node.start)} has SQL text; put the read into store/reads`);
      });
      return problems;
    });
}

/** @param {Node} node */
function textOf(node) {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type !== 'TemplateLiteral') return '';
  return /** @type {{ value: { cooked: string } }[]} */ (node['quasis']).map((part) => part.value.cooked).join('x');
}
