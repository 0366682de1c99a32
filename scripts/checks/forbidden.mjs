// Strings that must not be in the repository. They are put together here, as this file is read by its own check.

/** @typedef {import('./source.mjs').SourceFile} SourceFile */

const kinds = /** @type {const} */ ([
  { what: 'a path of one machine', pattern: new RegExp(['', 'work', ''].join('/')) },
  {
    what: 'an address of a package registry',
    pattern: /https?:\/\/[^\s"'/]*(?:registry|artifactory|nexus|verdaccio|npmmirror)|\bregistry\.(?:npmjs|yarnpkg|npmmirror)\.\w/i,
  },
  { what: 'a download address in a lockfile', pattern: /"resolved": ?"http/ },
  {
    what: 'a test that is switched off or alone',
    pattern: /\b(?:it|test|describe|suite)\.(?:only|skip|todo)\b/,
    files: /\.(?:[cm]?[jt]s|tsx)$/,
  },
]);

/**
 * @param {SourceFile[]} files
 * @param {string[]} [hosts] that must not be named, such as the registry of this machine
 * @returns {string[]}
 */
export function checkForbidden(files, hosts = []) {
  const named = hosts.map((host) => ({
    what: 'the host name of a package registry',
    pattern: new RegExp(host.replaceAll('.', '\\.'), 'i'),
    files: undefined,
  }));
  return files.flatMap(({ path, text }) =>
    [...kinds.map((kind) => ({ files: undefined, ...kind })), ...named]
      .filter((kind) => kind.files === undefined || kind.files.test(path))
      .flatMap(({ what, pattern }) => {
        const at = text.search(pattern);
        return at === -1 ? [] : [`${path}:${text.slice(0, at).split('\n').length} has ${what}`];
      }),
  );
}
