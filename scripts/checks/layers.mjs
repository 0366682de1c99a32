// The folders of core and of the engine's commands and steps are layers: a file imports from its own folder and from lower layers, types
// included, and no file reaches itself through its imports. A reader can so read the folders from the bottom up.

import { posix } from 'node:path';
import { importsOf, isCodeFile, isTestFile } from './source.mjs';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */

/** From low to high; folders on one line do not import each other. @type {Readonly<Record<string, readonly string[]>>} */
export const layers = {
  'packages/core/src': [
    'access consent model negotiation schedule text units provoke/triggers',
    'address budget classify/words group memory outside privacy task',
    'classify contact space',
    'attention invocation',
    'obligation',
    'approval',
    'provoke/events',
    'provoke/output',
    'provoke/files',
    'provoke/pipeline',
  ],
  'packages/hub/src/engine/commands': [
    'tasks',
    'agents checkpoints contact conversations invocations messages obligations peers people system triggers',
  ],
  'packages/hub/src/engine/steps': [
    'facts',
    'conversations people triggers',
    'approvals budget messages',
    'tasks',
    'offers',
    'agents',
    'attention',
    'membership obligations',
    'contact invocations',
    'answers',
    'departure',
  ],
};

/**
 * @param {SourceFile[]} files
 * @returns {string[]}
 */
export function checkLayers(files) {
  return Object.entries(layers).flatMap(([root, order]) => {
    const within = files.filter(({ path }) => path.startsWith(`${root}/`) && isCodeFile(path) && !isTestFile(path));
    /** @type {Map<string, string[]>} */
    const imports = new Map();
    const problems = within.flatMap((file) => {
      const found = importsOf(file).filter(({ specifier }) => specifier.startsWith('.'));
      const targets = found.map(({ specifier, line }) => ({ path: posix.join(posix.dirname(file.path), specifier), line }));
      imports.set(
        file.path,
        targets.map(({ path }) => path),
      );
      return targets.flatMap(({ path, line }) => upwards(file.path, path, root, order).map((what) => `${file.path}:${line} ${what}`));
    });
    return [...unplaced(within, root, order), ...problems, ...circles(imports)];
  });
}

/**
 * A layer that names a folder without code would be a table of things that are gone.
 * @param {SourceFile[]} files all of the tree
 * @returns {string[]}
 */
export const emptyLayers = (files) =>
  Object.entries(layers).flatMap(([root, order]) =>
    order
      .flatMap((line) => line.split(' '))
      .filter((folder) => !files.some(({ path }) => posix.dirname(path) === `${root}/${folder}`))
      .map((folder) => `scripts/checks/layers.mjs places ${root}/${folder}, which is not there`),
  );

/**
 * @param {SourceFile[]} within
 * @param {string} root
 * @param {readonly string[]} order
 */
function unplaced(within, root, order) {
  const placed = order.flatMap((line) => line.split(' '));
  const folders = new Set(within.map(({ path }) => posix.relative(root, posix.dirname(path))));
  return [...folders]
    .filter((folder) => !isEntry(folder) && !placed.includes(folder))
    .map((folder) => `${root}/${folder} is in no layer of scripts/checks/layers.mjs`);
}

/**
 * @param {string} from
 * @param {string} to
 * @param {string} root
 * @param {readonly string[]} order
 */
function upwards(from, to, root, order) {
  const [above, below] = [from, to].map((path) => posix.relative(root, posix.dirname(path)));
  // The package's entries stand above all layers; what lies outside the root is for other checks.
  if (above === below || above === undefined || below === undefined || isEntry(above) || below.startsWith('..')) return [];
  /** @param {string} folder */
  const layerOf = (folder) => order.findIndex((line) => line.split(' ').includes(folder));
  const [high, low] = [layerOf(above), layerOf(below)];
  return high === -1 || (low !== -1 && low < high) ? [] : [`imports ${below}, which is not below ${above}`];
}

/** @param {string} folder */
const isEntry = (folder) => folder === '' || folder === 'provoke';

/**
 * One problem for each circle of files, named from its first file.
 * @param {ReadonlyMap<string, readonly string[]>} imports
 */
function circles(imports) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Set<string>} */
  const finished = new Set();
  /** @param {string} file @param {readonly string[]} trail */
  const visit = (file, trail) => {
    if (finished.has(file)) return;
    const start = trail.indexOf(file);
    if (start !== -1) {
      problems.push(`${[...trail.slice(start), file].join(' → ')} import each other`);
      return;
    }
    for (const next of imports.get(file) ?? []) visit(next, [...trail, file]);
    finished.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return problems;
}
