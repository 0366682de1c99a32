/** @typedef {import('./source.mjs').SourceFile} SourceFile */

const LIMIT = 400;

/**
 * A file past the limit says at its top why it is one file: `// Long because …`.
 * @param {SourceFile[]} files
 * @returns {string[]}
 */
export function checkSizes(files) {
  return files
    .filter(({ path }) => /\.tsx?$/.test(path))
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n') }))
    .filter(({ lines }) => lines.length > LIMIT && !lines.slice(0, 5).some((line) => /^\s*(?:\/\/|\/?\*).*\blong because \S/i.test(line)))
    .map(({ path, lines }) => `${path} has ${lines.length} lines; split it, or say "Long because …" in a comment in its first 5 lines`);
}
