// `npm run check`: everything that can be said about the tree without starting it. All of it runs, then a summary.
// `npm run check -- types docs` runs only those.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkArrows } from './checks/arrows.mjs';
import { checkDocs } from './checks/docs.mjs';
import { repositoryFiles } from './checks/source.mjs';
import { checkForbidden } from './checks/forbidden.mjs';
import { checkLayers, emptyLayers } from './checks/layers.mjs';
import { checkPackageMap } from './checks/package-map.mjs';
import { checkNames } from './checks/names.mjs';
import { checkRules } from './checks/rules.mjs';
import { checkSizes } from './checks/sizes.mjs';
import { checkSql } from './checks/sql.mjs';
import { checkVoice } from './checks/voice.mjs';
import { checkWords } from './checks/words.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}` };

/**
 * @param {...string[]} commands each a program with its arguments; all run, one failure is enough
 * @returns {() => boolean}
 */
const run =
  (...commands) =>
  () =>
    commands
      .map(
        ([program = '', ...args]) =>
          spawnSync(program, args, { cwd: root, env, stdio: 'inherit', shell: process.platform === 'win32' }).status === 0,
      )
      .every(Boolean);

/**
 * @param {(files: import('./checks/source.mjs').SourceFile[]) => string[] | Promise<string[]>} check
 * @returns {() => Promise<boolean>}
 */
const look = (check) => async () => {
  const problems = await check(repositoryFiles(root));
  for (const problem of problems) console.log(`  ${problem}`);
  return problems.length === 0;
};

const page = 'packages/web/tsconfig.json';

/** @type {Record<string, () => boolean | Promise<boolean>>} */
const steps = {
  format: run(['oxfmt', '--check']),
  lint: run(['oxlint', '--type-aware', '--deny-warnings', '--report-unused-disable-directives']),
  types: run(['tsc', '-p', '.'], ...(existsSync(join(root, page)) ? [['tsc', '-p', page]] : [])),
  unit: run(['vitest', 'run', '--project', 'unit']),
  unused: run(['knip', '--treat-config-hints-as-errors']),
  arrows: look(checkArrows),
  layers: look((files) => [...checkLayers(files), ...emptyLayers(files)]),
  names: look(checkNames),
  rules: look(checkRules),
  docs: look(async (files) => {
    const { errorCodes } = await import('../packages/protocol/src/errors.ts');
    return checkDocs(files, Object.keys(errorCodes), (path) => existsSync(join(root, path)));
  }),
  map: look(checkPackageMap),
  voice: look(checkVoice),
  words: look(checkWords),
  sizes: look(checkSizes),
  sql: look(checkSql),
  forbidden: look((files) => checkForbidden(files, registryHosts())),
};

/** A mirror in use here is nobody else's business; a registry on this very machine has no name worth protecting. */
function registryHosts() {
  const address = process.env['npm_config_registry'];
  const host = address === undefined || !URL.canParse(address) ? '' : new URL(address).hostname;
  return /[a-z]\.[a-z]/i.test(host) ? [host] : [];
}

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error('run this as `npm run check`: it needs the bundled Node');
  process.exit(2);
}
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(`no such check: ${unknown.join(', ')}; there are ${Object.keys(steps).join(', ')}`);
  process.exit(2);
}
/** @type {{ name: string, passed: boolean, seconds: number }[]} */
const results = [];
for (const [name, step] of Object.entries(steps)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n── ${name}`);
  const started = performance.now();
  const passed = await step();
  results.push({ name, passed, seconds: (performance.now() - started) / 1000 });
}

console.log('\n── summary');
for (const { name, passed, seconds } of results)
  console.log(`${passed ? '  ok ' : 'FAIL '} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(5)} s`);
const failed = results.filter(({ passed }) => !passed).map(({ name }) => name);
console.log(failed.length === 0 ? '\nall checks passed' : `\nfailed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
