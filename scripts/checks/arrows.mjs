// The packages depend on each other in one direction, and what decides does no input or output. See docs/architecture.md.

import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { importsOf, isCodeFile, isTestFile, lineAt, visitFile } from './source.mjs';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */
/** @typedef {import('./source.mjs').Node} Node */

/** Which packages a package may import. The test kit may import all; only tests may import it. @type {Readonly<Record<string, readonly string[]>>} */
export const arrows = {
  protocol: [],
  core: ['protocol'],
  sdk: ['protocol'],
  relay: ['protocol'],
  hub: ['core', 'protocol'],
  peer: ['core', 'protocol'],
  mcp: ['peer', 'sdk', 'core', 'protocol'],
  web: ['sdk', 'core', 'protocol'],
  cli: ['hub', 'peer', 'mcp', 'relay', 'sdk', 'core', 'protocol'],
};
const pure = ['protocol', 'core'];
const runsInBrowsers = ['protocol', 'core', 'web'];

const impureNames = new Set(
  'process fetch console performance crypto Buffer require setTimeout setInterval setImmediate queueMicrotask WebSocket EventSource XMLHttpRequest localStorage sessionStorage indexedDB document window navigator globalThis self'.split(
    ' ',
  ),
);

/**
 * @param {SourceFile[]} files
 * @returns {string[]}
 */
export function checkArrows(files) {
  return files.flatMap((file) => {
    const [, name, below] = /^packages\/([^/]+)\/(.+)$/.exec(file.path) ?? [];
    if (name === undefined || below === undefined) return [];
    if (below === 'package.json') return manifestProblems(file, name);
    if (!isCodeFile(file.path)) return [];
    const forTests = isTestFile(file.path) || below.startsWith('test/') || name === 'testkit';
    const problems = importProblems(file, name, forTests);
    return pure.includes(name) && !forTests ? [...problems, ...impurities(file)] : problems;
  });
}

/**
 * @param {SourceFile} file
 * @param {string} name of its package
 * @param {boolean} forTests
 */
function importProblems(file, name, forTests) {
  return importsOf(file).flatMap(({ specifier, line }) => {
    const at = `${file.path}:${line}`;
    const target = specifier.startsWith('.')
      ? /^packages\/([^/]+)\//.exec(posix.join(posix.dirname(file.path), specifier))?.[1]
      : /^@parley\/([^/]+)/.exec(specifier)?.[1];
    if (specifier.startsWith('.') && target !== undefined && target !== name)
      return [`${at} reaches into ${target} by a path; import @parley/${target}`];
    if (target !== undefined && target !== name && !mayImport(name, target, forTests))
      return [`${at} imports ${target}, which ${name} may not`];
    const browser = runsInBrowsers.includes(name) && file.path.startsWith(`packages/${name}/src/`);
    if (isBuiltin(specifier) && browser && !forTests) return [`${at} imports ${specifier}; ${name} must not depend on Node`];
    return [];
  });
}

/**
 * @param {string} name
 * @param {string} target
 * @param {boolean} forTests
 */
function mayImport(name, target, forTests) {
  if (name === 'testkit') return true;
  if (target === 'testkit') return forTests;
  const allowed = arrows[name] ?? [];
  return allowed.includes(target);
}

/**
 * @param {SourceFile} file
 * @param {string} name
 */
function manifestProblems(file, name) {
  const { dependencies = {} } = /** @type {{ dependencies?: Record<string, string> }} */ (JSON.parse(file.text));
  if (name !== 'testkit' && !(name in arrows)) return [`packages/${name} has no row in scripts/checks/arrows.mjs`];
  return Object.keys(dependencies)
    .filter((dependency) => dependency.startsWith('@parley/'))
    .map((dependency) => dependency.slice('@parley/'.length))
    .filter((target) => !mayImport(name, target, false))
    .map((target) => `${file.path} depends on ${target}, which ${name} may not`);
}

/**
 * Uses of the clock, of chance or of the outside world. A decision gets these handed in, so that it can be replayed.
 * @param {SourceFile} file
 */
function impurities(file) {
  /** @type {string[]} */
  const problems = [];
  visitFile(file, (node, parent, key) => {
    const use = impureUse(node, parent, key);
    if (use !== undefined) problems.push(`${file.path}:${lineAt(file, node.start)} uses ${use}; hand it in instead`);
  });
  return problems;
}

/**
 * @param {Node} node
 * @param {Node | undefined} parent
 * @param {string} key
 * @returns {string | undefined}
 */
function impureUse(node, parent, key) {
  const callee = /** @type {Node | undefined} */ (node['callee']);
  if (
    (node.type === 'NewExpression' || node.type === 'CallExpression') &&
    callee?.['name'] === 'Date' &&
    /** @type {Node[]} */ (node['arguments']).length === 0
  ) {
    return 'the current date';
  }
  if (node.type === 'MemberExpression') {
    const object = /** @type {Node} */ (node['object']);
    const property = /** @type {Node} */ (node['property']);
    const used = `${String(object['name'])}.${String(property['name'] ?? property['value'])}`;
    if (used === 'Date.now' || used === 'Math.random') return used;
  }
  if (node.type !== 'Identifier' || !impureNames.has(String(node['name']))) return undefined;
  const isName = (key === 'property' || key === 'key') && parent?.['computed'] !== true;
  const isElsewhere = ['imported', 'exported', 'label', 'id'].includes(key) || (parent?.type.startsWith('TS') ?? false);
  return isName || isElsewhere ? undefined : String(node['name']);
}
