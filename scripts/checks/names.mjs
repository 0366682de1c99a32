// Two exported types never share a name: a reader who searches for one finds one. A schema and its type, in one file, are one.

import { isCodeFile, isTestFile, lineAt, visitFile } from './source.mjs';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */
/** @typedef {import('./source.mjs').Node} Node */

const types = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration', 'TSEnumDeclaration']);

/**
 * @param {SourceFile[]} files
 * @returns {string[]}
 */
export function checkNames(files) {
  /** @type {Map<string, string>} */
  const first = new Map();
  /** @type {string[]} */
  const problems = [];
  for (const file of files) {
    if (!/^packages\/[^/]+\/src\//.test(file.path) || !isCodeFile(file.path) || isTestFile(file.path)) continue;
    visitFile(file, (node, parent, key) => {
      if (key !== 'declaration' || parent?.type !== 'ExportNamedDeclaration' || !types.has(node.type)) return;
      const name = String(/** @type {Node | undefined} */ (node['id'])?.['name']);
      const other = first.get(name);
      if (other === undefined) first.set(name, file.path);
      else if (other !== file.path) problems.push(`${file.path}:${lineAt(file, node.start)} exports a type ${name}, as ${other} does`);
    });
  }
  return problems;
}
