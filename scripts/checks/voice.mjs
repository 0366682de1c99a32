// Texts for people keep to one voice: short lines, and none of the phrases that readers stumbled over. The list holds only
// phrases that no good sentence needs, so a hit is never a false alarm.

/** @typedef {import('./source.mjs').SourceFile} SourceFile */
/** @typedef {{ line: number, text: string }} Line */

const maxLine = 400;

/** The texts in scope: which files, and which of their lines. @type {readonly { files: RegExp, lines: (text: string) => Line[] }[]} */
const scopes = [
  {
    files: /^(?:README|CONTRIBUTING|AGENTS|SECURITY)\.md$|^(?:docs|examples|packages\/[^/]+)\/(?:.+\/)?[^/]+\.md$|^spec\/[^/]+\.md$/,
    lines: prose,
  },
  { files: /^CHANGELOG\.md$/, lines: newestRelease },
];

/** @type {readonly { pattern: RegExp, instead: string }[]} */
const banned = [
  { pattern: /\ba yes\b|\b(?:says?|said|saying) yes\b/i, instead: 'approval, approve' },
  { pattern: /\bgives? on\b|\bgave on\b|\bgiven on\b/i, instead: 'delegate' },
  { pattern: /\b(?:is|are|was|were|be|been|being) told\b/i, instead: 'notify, or a sentence with a subject' },
  { pattern: /\bset aside\b|\bsets aside\b/i, instead: 'reserve' },
  { pattern: /\bst(?:ands?|ood) still\b|\bclock stands\b/i, instead: 'pause' },
  { pattern: /\bbrought where\b/i, instead: 'deliver' },
  { pattern: /\bwhoever\b|\bwhomever\b/i, instead: 'name the actor' },
  { pattern: /\blaps(?:e|es|ed)\b/i, instead: 'expire' },
  { pattern: /\bround in circles\b/i, instead: 'loop' },
  { pattern: /\bunless told\b/i, instead: 'by default' },
  { pattern: /\b(?:it|this|that) is as if\b/i, instead: 'say what happens' },
];

/** A question may begin so, and a title may; a sentence has its actor as its subject. */
const badOpening = /(?:^|[.!?:]["”)*]* +|\| |^ *[-*] (?:\*\*)?)((?:What|Who|Whom|Whoever|Whatever)\b[^.?!|]*[.?!|]?)/g;

/**
 * @param {SourceFile[]} files
 * @returns {string[]}
 */
export function checkVoice(files) {
  return files.flatMap(({ path, text }) =>
    scopes
      .filter((scope) => scope.files.test(path))
      .flatMap(({ lines }) => lines(text).flatMap((line) => problemsIn(line).map((problem) => `${path}:${line.line} ${problem}`))),
  );
}

/** @param {Line} line */
function problemsIn({ text }) {
  const words = text.replace(/`[^`]*`/g, '`…`').replace(/\]\([^)]*\)/g, ']');
  const openings = words.startsWith('#') ? [] : [...words.matchAll(badOpening)].map(([, sentence = '']) => sentence);
  return [
    ...(text.length > maxLine ? [`has ${text.length} characters; split it (at most ${maxLine})`] : []),
    ...banned.flatMap(({ pattern, instead }) => (words.match(pattern) ?? []).map((found) => `says "${found}"; use: ${instead}`)),
    ...openings
      .filter((sentence) => !sentence.endsWith('?'))
      .map((sentence) => `begins a sentence with "${sentence.slice(0, 30)}"; name its subject`),
  ];
}

/** The lines of a page outside its code blocks. @param {string} text @returns {Line[]} */
function prose(text) {
  let inCode = false;
  return text.split('\n').flatMap((line, at) => {
    if (/^ *(?:`{3,}|~{3,})/.test(line)) {
      inCode = !inCode;
      return [];
    }
    return inCode ? [] : [{ line: at + 1, text: line }];
  });
}

/** Older releases stay as they were published. @param {string} text */
function newestRelease(text) {
  const [first, second] = [...text.matchAll(/^## /gm)].map(({ index }) => index);
  return first === undefined ? [] : prose(text.slice(0, second));
}
