// A closed set has one table of words, in a `*-texts.ts` of core: with a second one, page, terminal and agents say different things.

import { isCodeFile, isTestFile, lineAt, visitFile } from './source.mjs';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */
/** @typedef {import('./source.mjs').Node} Node */

/**
 * @param {SourceFile[]} files
 * @returns {string[]}
 */
export function checkWords(files) {
  const source = files.filter(({ path }) => /^packages\/[^/]+\/src\//.test(path) && isCodeFile(path) && !isTestFile(path));
  const tables = source.filter(({ path }) => /^packages\/core\/src\/.*-texts\.ts$/.test(path)).flatMap(exportedTables);
  return source
    .filter(({ path }) => !path.startsWith('packages/core/'))
    .flatMap((file) => {
      /** @type {string[]} */
      const problems = [];
      visitFile(file, (node) => {
        const entries = entriesOf(node);
        if (!entries || !entries.some(({ value }) => isWorded(value))) return;
        const table = tables.find(({ keys }) => isSameSet(entries, keys));
        if (table) problems.push(`${file.path}:${lineAt(file, node.start)} words what ${table.name} of core words; use that`);
      });
      return problems;
    });
}

/**
 * Tables that others can import; one inside another is about something else.
 * @param {SourceFile} file
 */
function exportedTables(file) {
  /** @type {{ name: string, keys: Set<string> }[]} */
  const tables = [];
  visitFile(file, (node, parent, key) => {
    if (key !== 'declaration' || parent?.type !== 'ExportNamedDeclaration' || node.type !== 'VariableDeclaration') return;
    for (const { id, init } of /** @type {{ id: Node, init: Node | null }[]} */ (node['declarations'])) {
      const keys = new Set((init && entriesOf(init))?.map(({ name }) => name));
      if (keys.size >= fewest) tables.push({ name: String(id['name']), keys });
    }
  });
  return tables;
}

const fewest = 3;

/** A table for some cases only says something else about them. @param {{ name: string }[]} entries @param {Set<string>} keys */
function isSameSet(entries, keys) {
  const shared = entries.filter(({ name }) => keys.has(name)).length;
  return shared >= fewest && shared * 2 >= keys.size && shared * 2 > entries.length;
}

/**
 * @param {Node} node
 * @returns {{ name: string, value: Node }[] | undefined}
 */
function entriesOf(node) {
  if (node.type !== 'ObjectExpression') return undefined;
  return /** @type {Node[]} */ (node['properties']).flatMap((property) => {
    if (property.type !== 'Property' || property['computed'] === true) return [];
    const key = /** @type {Node} */ (property['key']);
    return [{ name: String(key['name'] ?? key['value']), value: /** @type {Node} */ (property['value']) }];
  });
}

/**
 * Text for people: two words in a row, or one with a capital. Class names, marks and states of another set are none.
 * @param {Node} node
 * @returns {boolean}
 */
function isWorded(node) {
  if (node.type === 'ArrowFunctionExpression') return isWorded(/** @type {Node} */ (node['body']));
  const text =
    node.type === 'TemplateLiteral'
      ? /** @type {{ value: { cooked: string } }[]} */ (node['quasis']).map((part) => part.value.cooked).join(' ')
      : node['value'];
  if (typeof text !== 'string') return false;
  const isWord = text.split(/\s+/).map((part) => /^[A-Za-z’']{2,}[,:.]?$/.test(part));
  return isWord.some((found, at) => found && isWord[at + 1] === true) || /^[A-Z][a-z]+$/.test(text);
}
