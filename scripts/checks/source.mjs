// The files that the checks read, and what they read out of each by its syntax tree: a word in a comment or a string is no use of it.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** @typedef {{ path: string, text: string }} SourceFile  path relative to the root, with forward slashes */
/** @typedef {{ type: string, start: number, [key: string]: unknown }} Node */
/** @typedef {(node: Node, parent: Node | undefined, key: string) => void} Visit */

/**
 * The text files of the repository: those in git and those about to be, without what git ignores.
 * @param {string} root
 * @returns {SourceFile[]}
 */
export function repositoryFiles(root) {
  const listing = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return [...new Set(listing.split('\0'))]
    .filter((path) => path !== '' && existsSync(join(root, path)) && statSync(join(root, path)).isFile())
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'));
}

const isCode = /\.(?:[cm]?[jt]s|tsx)$/;
/** @param {string} path */
export const isCodeFile = (path) => isCode.test(path) && !path.endsWith('.d.ts');
/** @param {string} path */
export const isTestFile = (path) => /\.test\.tsx?$/.test(path);

/**
 * @param {SourceFile} file
 * @param {Visit} visit
 */
export function visitFile(file, visit) {
  const { program, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path} does not parse: ${errors[0]?.message}`);
  walk(/** @type {Node} */ (/** @type {unknown} */ (program)), undefined, '', visit);
}

/**
 * @param {Node} node
 * @param {Node | undefined} parent
 * @param {string} key
 * @param {Visit} visit
 */
function walk(node, parent, key, visit) {
  visit(node, parent, key);
  for (const [name, child] of Object.entries(node)) {
    for (const item of Array.isArray(child) ? child : [child]) if (isNode(item)) walk(item, node, name, visit);
  }
}

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
const isNode = (value) => typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/**
 * Comments, with lines that follow each other as one, and the texts of strings, templates and markup.
 * @param {SourceFile} file
 * @returns {Record<'comments' | 'texts', { start: number, text: string }[]>}
 */
export function commentsAndTexts(file) {
  const { program, comments } = parseSync(file.path, file.text);
  /** @type {{ start: number, end: number, isLine: boolean, text: string }[]} */
  const joined = [];
  for (const { type, value, start, end } of comments) {
    const last = joined.at(-1);
    const text = value
      .replace(/^\*/, '')
      .replace(/\s*\n\s*\*? ?/g, ' ')
      .trim();
    if (type === 'Line' && last?.isLine && /^\n[ \t]*$/.test(file.text.slice(last.end, start))) {
      last.text += ` ${text}`;
      last.end = end;
    } else joined.push({ start, end, isLine: type === 'Line', text });
  }
  /** @type {{ start: number, text: string }[]} */
  const texts = [];
  walk(/** @type {Node} */ (/** @type {unknown} */ (program)), undefined, '', (node) => {
    const value = node.type === 'TemplateElement' ? /** @type {{ cooked?: string }} */ (node['value']).cooked : node['value'];
    if (['Literal', 'TemplateElement', 'JSXText'].includes(node.type) && typeof value === 'string')
      texts.push({ start: node.start, text: value });
  });
  return { comments: joined, texts };
}

/**
 * The names that a file chooses for variables, parameters and functions. `{ left }` takes the name of a field, and is none.
 * @param {SourceFile} file
 * @returns {{ name: string, start: number }[]}
 */
export function bindingsOf(file) {
  /** @type {Map<number, string>} */
  const found = new Map();
  /** @param {Node | null | undefined} pattern */
  const collect = (pattern) => {
    if (!pattern) return;
    if (pattern.type === 'Identifier') found.set(pattern.start, String(pattern['name']));
    if (pattern.type === 'AssignmentPattern') collect(/** @type {Node} */ (pattern['left']));
    if (pattern.type === 'RestElement') collect(/** @type {Node} */ (pattern['argument']));
    if (pattern.type === 'ArrayPattern') for (const element of /** @type {Node[]} */ (pattern['elements'])) collect(element);
    if (pattern.type !== 'ObjectPattern') return;
    for (const property of /** @type {Node[]} */ (pattern['properties']))
      if (property.type === 'RestElement') collect(property);
      else if (property['shorthand'] !== true) collect(/** @type {Node} */ (property['value']));
  };
  visitFile(file, (node) => {
    if (node.type === 'VariableDeclarator') collect(/** @type {Node} */ (node['id']));
    if (node.type === 'FunctionDeclaration') collect(/** @type {Node | null} */ (node['id']));
    if (Array.isArray(node['params'])) for (const parameter of /** @type {Node[]} */ (node['params'])) collect(parameter);
  });
  return [...found].map(([start, name]) => ({ name, start }));
}

/** @param {SourceFile} file @param {number} offset */
export const lineAt = (file, offset) => file.text.slice(0, offset).split('\n').length;

/**
 * The modules a file imports, for types too.
 * @param {SourceFile} file
 * @returns {{ specifier: string, line: number }[]}
 */
export function importsOf(file) {
  /** @type {{ specifier: string, line: number }[]} */
  const found = [];
  visitFile(file, (node, parent, key) => {
    const imports = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression', 'TSImportType'];
    if (key === 'source' && node.type === 'Literal' && typeof node['value'] === 'string' && imports.includes(parent?.type ?? '')) {
      found.push({ specifier: node['value'], line: lineAt(file, node.start) });
    }
  });
  return found;
}

/**
 * The titles of tests and groups of tests, `it.each(…)('…')` and the like included.
 * @param {SourceFile} file
 * @returns {string[]}
 */
export function testTitles(file) {
  /** @type {string[]} */
  const titles = [];
  visitFile(file, (node) => {
    if (node.type !== 'CallExpression' || !['it', 'test', 'describe'].includes(rootName(/** @type {Node} */ (node['callee'])) ?? ''))
      return;
    const [first] = /** @type {Node[]} */ (node['arguments']);
    if (first?.type === 'Literal' && typeof first['value'] === 'string') titles.push(first['value']);
    if (first?.type === 'TemplateLiteral') {
      titles.push(/** @type {{ value: { cooked: string } }[]} */ (first['quasis']).map((part) => part.value.cooked).join('…'));
    }
  });
  return titles;
}

/**
 * `it` for it, it.each, it.each([]), it.runIf(x).
 * @param {Node | undefined} node
 * @returns {string | undefined}
 */
function rootName(node) {
  if (node?.type === 'Identifier') return String(node['name']);
  const inner = node?.['object'] ?? node?.['callee'] ?? node?.['tag'];
  return isNode(inner) ? rootName(inner) : undefined;
}
