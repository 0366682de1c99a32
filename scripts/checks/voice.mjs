// Texts for people keep to one voice: short lines, and none of the phrases that readers stumbled over. The list holds only
// phrases that no good sentence needs, so a hit is never a false alarm. Documents, the strings of programs and comments
// have the same list. Folders that were read aloud from end to end (`readAloud`) are held to more: each sentence of a
// comment and each title of a test names its subject, and no variable is a bare participle.

import { bindingsOf, commentsAndTexts, isCodeFile, isTestFile, lineAt, testTitles } from './source.mjs';

/** @typedef {import('./source.mjs').SourceFile} SourceFile */
/** @typedef {{ line: number, text: string }} Line */
/** @typedef {{ start: number, text: string }} Text */
/** @typedef {{ comments: Text[], texts: Text[] }} CommentsAndTexts */
/** @typedef {{ at: number, problem: string }} Problem */

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
  { pattern: /\bsets? aside\b|\bsetting aside\b/i, instead: 'reserve' },
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

/** A noun clause may be the title of a declaration; with a second verb it is the subject of a sentence. */
const verb = '(?:is|are|was|were|has|had|may|can|must|does|did|will|would|goes|stays|comes|counts|needs|says|gets|ends)';
const rest = String.raw`(?:(?!\b(?:and|or|when|that|which|as|if|before|after|until|where|while|because)\b)[^,:;.?!(])*?`;
const clauseAsSubject = new RegExp(
  String.raw`(?:^|[.!?:;] )(?:What|Whatever|Who|Whom)\b${rest}\b${verb}\b${rest}\b${verb}\b[^.?!]*[.?!]?`,
  'g',
);

const code = /^(?:packages\/[^/]+\/(?:src|bin|browser)|examples|scripts|bench)\//;
/** Folders whose comments, names and test titles are held to the stricter rules. Only grows. */
const readAloud = [
  'bench/',
  'packages/cli/src/program/',
  'packages/core/src/attention/',
  'packages/core/src/invocation/',
  'packages/core/src/provoke/',
  'packages/hub/src/engine/',
  'packages/hub/src/provoke/',
  'packages/hub/src/turns/',
  'packages/hub/src/watched-files/',
  'packages/hub/test/engine/',
  'packages/hub/test/turns/',
  'packages/protocol/src/people/',
  'packages/relay/src/verification/',
  'packages/sdk/src/',
  'packages/sdk/test/',
  'packages/web/src/pages/',
  'packages/web/src/request-page/',
  'packages/web/src/sidebar/',
];
/** @param {string} path */
const isReadAloud = (path) => readAloud.some((folder) => path.startsWith(folder));

/** Nobody knows whom or what such a sentence is about before its end. */
const bareOpening = /(?:^|[.!?] )((?:It|Its|What|Who|Whom|Whose)\b[^.?!]*[.?!]?)/g;
/** Names of variables, parameters and functions. Fields of stored rows and of the wire may bear them. */
const bareNames = new Set(['heard', 'heeding', 'given', 'told', 'asked', 'over', 'more', 'left']);
/** A title is a clause in small letters. */
const bareTitle = /^(?:it|its|what|who|whom|whose|whatever|whoever)\b/i;
const fileName = /(?<![\w.*…-])[\w-][\w./-]*\.(?:tsx?|mjs)\b/g;
/** Words that the classifiers look for in messages, and messages for the bench. */
const wordLists = /^(?:packages\/core\/src\/classify\/words\/|bench\/corpus\.ts$)/;
/** The list of phrases itself. */
const self = /^scripts\/checks\/(?:voice\.mjs|checks\.test\.ts)$/;

/**
 * @param {SourceFile[]} files
 * @returns {string[]}
 */
export function checkVoice(files) {
  const paths = files.map(({ path }) => `/${path}`);
  /** @param {string} name */
  const exists = (name) => paths.some((path) => path.endsWith(`/${name}`));
  return files.flatMap((file) => {
    const documents = scopes.filter((scope) => scope.files.test(file.path));
    const problems = documents.flatMap(({ lines }) =>
      lines(file.text).flatMap((line) => problemsIn(line).map((problem) => `${line.line} ${problem}`)),
    );
    const inCode = isCodeFile(file.path) ? codeProblems(file, commentsAndTexts(file), exists) : [];
    return [...problems, ...inCode].map((problem) => `${file.path}:${problem}`);
  });
}

/**
 * @param {SourceFile} file
 * @param {CommentsAndTexts} read
 * @param {(name: string) => boolean} exists
 * @returns {string[]}
 */
function codeProblems(file, { comments, texts }, exists) {
  if (self.test(file.path)) return [];
  const isTest = isTestFile(file.path);
  return [
    ...goneFiles(comments, exists),
    ...(code.test(file.path) && !isTest ? sentenceProblems(comments, wordLists.test(file.path) ? [] : texts) : []),
    ...(isReadAloud(file.path) ? (isTest ? titleProblems(file) : [...bareSentences(comments), ...bareBindings(file)]) : []),
  ].map(({ at, problem }) => `${lineAt(file, at)} ${problem}`);
}

/** @param {Text[]} comments @param {Text[]} texts @returns {Problem[]} */
function sentenceProblems(comments, texts) {
  // A text without a blank is a name, on the wire or in the store.
  const sentences = texts.filter(({ text }) => /\s/.test(text.trim()));
  return [...comments, ...sentences].flatMap(({ start, text }) => {
    const words = text.replace(/`[^`]*`/g, '`…`');
    const subjects = [...words.matchAll(clauseAsSubject)]
      .map(([found]) => found.replace(/^[.!?:;] /, ''))
      .filter((found) => !found.endsWith('?'));
    return [...phrasesIn(words), ...subjects.map(withoutSubject)].map((problem) => ({ at: start, problem }));
  });
}

/** Files that a comment names, and that were renamed or removed since. @param {Text[]} comments @param {(name: string) => boolean} exists @returns {Problem[]} */
const goneFiles = (comments, exists) =>
  comments.flatMap(({ start, text }) =>
    [...text.matchAll(fileName)].flatMap(([name]) => (exists(name) ? [] : { at: start, problem: `names ${name}, which does not exist` })),
  );

/** @param {Text[]} comments @returns {Problem[]} */
const bareSentences = (comments) =>
  comments.flatMap(({ start, text }) =>
    [...text.replace(/`[^`]*`/g, '`…`').matchAll(bareOpening)].map(([, found = '']) => ({ at: start, problem: withoutSubject(found) })),
  );

/** @param {SourceFile} file @returns {Problem[]} */
const bareBindings = (file) =>
  bindingsOf(file)
    .filter(({ name }) => bareNames.has(name))
    .map(({ name, start }) => ({ at: start, problem: `names a variable "${name}"; say what it holds` }));

/** @param {SourceFile} file @returns {Problem[]} */
const titleProblems = (file) =>
  testTitles(file).flatMap((title) => {
    const words = title.replace(/^(?:\[[^\]]+\]\s*)+/, '');
    const problems = [...phrasesIn(words), ...(bareTitle.test(words) ? [withoutSubject(words)] : [])];
    return problems.map((problem) => ({ at: Math.max(0, file.text.indexOf(title)), problem: `has a test title that ${problem}` }));
  });

/** @param {string} words */
const phrasesIn = (words) =>
  banned.flatMap(({ pattern, instead }) => (words.match(pattern) ?? []).map((found) => `says "${found}"; use: ${instead}`));

/** @param {string} sentence */
const withoutSubject = (sentence) => `begins a sentence with "${sentence.slice(0, 30)}"; name its subject`;

/** @param {Line} line */
function problemsIn({ text }) {
  const words = text.replace(/`[^`]*`/g, '`…`').replace(/\]\([^)]*\)/g, ']');
  const openings = words.startsWith('#') ? [] : [...words.matchAll(badOpening)].map(([, sentence = '']) => sentence);
  return [
    ...(text.length > maxLine ? [`has ${text.length} characters; split it (at most ${maxLine})`] : []),
    ...phrasesIn(words),
    ...openings.filter((sentence) => !sentence.endsWith('?')).map(withoutSubject),
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
