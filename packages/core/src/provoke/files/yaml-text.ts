// A file of triggers or manifests, as text, to plain values with the place of each (PRV-4). JSON is read as the YAML it is,
// so that both get line and column. The author is not trusted: the parser is led past what would hold it up.

import { Composer, type Document, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, Parser } from 'yaml';
import { maxNesting, tooDeep } from '../events/value-limits.ts';
import { tagText, yamlWords } from './yaml-errors.ts';

export const largestFile = 128 * 1024;
/** Of a file that says how one agent or some tool servers are set up. Reading it takes time in proportion. */
export const largestSettings = 32 * 1024;
const mostDocuments = 1000;
const mostProblems = 20;

export interface TextPosition {
  line: number;
  column: number;
}
export interface TextProblem extends TextPosition {
  message: string;
}

export interface ReadDocument {
  value: unknown;
  /** Where a field stands; if it is missing, where it should: the nearest thing around it. */
  placeOf: (path: readonly PropertyKey[]) => TextPosition;
  start: TextPosition;
}
/** `documents`: those that could be read; with a problem in one of them, so that the problems of the others are reported, too. */
export type ReadText = { ok: true; documents: ReadDocument[] } | { ok: false; problems: TextProblem[]; documents: ReadDocument[] };

export function readText(text: string, largest = largestFile): ReadText {
  const documents: ReadDocument[] = [];
  const problems: TextProblem[] = [];
  const failed = (message: string, at: TextPosition = { line: 1, column: 1 }): ReadText => ({
    ok: false,
    problems: [...problems, { ...at, message }],
    documents,
  });
  if (text.length > largest) return failed(`must be at most ${largest} characters`);
  const lines = new LineCounter();
  const place = (offset: number): TextPosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const deep = tooDeepAt(text);
  if (deep !== undefined) return failed(tooDeep, deep);
  // Keys are compared below: the library's own comparison takes a minute for thirty thousand of them.
  const composer = sparing(new Composer({ uniqueKeys: false, prettyErrors: false, stringKeys: true, version: '1.2', schema: 'core' }));
  for (const token of withEnd(composer, new Parser(lines.addNewLine).parse(text))) {
    // After the first one the parser has lost its way: what it says of the rest is about itself, not about the file.
    const [found] = [...token.errors, ...token.warnings];
    if (found) {
      const { message, at } = yamlWords(found, text);
      return failed(message, place(at));
    }
    const wrong = wrongIn(token, place);
    problems.push(...wrong.problems);
    if (problems.length >= mostProblems) return { ok: false, problems: problems.slice(0, mostProblems), documents: [] };
    if (!wrong.readable) continue;
    // What follows the last `---` is a document with nothing in it.
    if (token.contents === null || (isScalar(token.contents) && token.contents.value === null)) continue;
    documents.push(documentOf(token, place));
    if (documents.length > mostDocuments) return failed(`must hold at most ${mostDocuments} documents`, place(token.range[0]));
  }
  if (problems.length > 0) return { ok: false, problems, documents };
  return documents.length === 0 ? failed('must not be empty') : { ok: true, documents };
}

/** What the library keeps to itself: the errors of the stream so far, and where one is made. */
type Own = { errors: readonly unknown[]; onError: (...about: unknown[]) => void };
const ownOf = (composer: Composer): Own => composer as unknown as Own;

/** A file can have an error at every sign, and each is an object with all that led to it: after some, no more are made. */
function sparing(composer: Composer): Composer {
  const own = ownOf(composer);
  const collect = own.onError;
  let count = 0;
  own.onError = (...about) => {
    if (count++ < mostProblems) collect(...about);
  };
  return composer;
}

function* withEnd(composer: Composer, tokens: Iterable<Parameters<Composer['next']>[0]>): Generator<Document.Parsed> {
  const own = ownOf(composer);
  let stray = 0;
  for (const token of tokens) {
    yield* composer.next(token);
    if (token.type === 'error') stray++;
    // Each line outside of any document makes an error: after some, nothing more is read.
    if (stray >= mostProblems || own.errors.length >= mostProblems) break;
  }
  // With nothing but errors in it there is no document to tell them with.
  yield* composer.end(own.errors.length > 0, 0) as Generator<Document.Parsed>;
}

/**
 * How deep it goes, from the signs alone and before anything is built: the builder goes in by recursion, and one that runs
 * out of stack there can take the process with it. Counts brackets, and in a block the columns that stand open.
 */
function tooDeepAt(text: string): TextPosition | undefined {
  let [line, column, brackets] = [1, 1, 0];
  const columns: number[] = [];
  for (const sign of new Lexer().lex(text)) {
    // Marks of the lexer that stand for no text.
    if (sign === '\u0002' || sign === '\u0018' || sign === '\u001F') continue;
    if (sign === '[' || sign === '{') brackets++;
    else if (sign === ']' || sign === '}') brackets = Math.max(0, brackets - 1);
    else if (brackets === 0 && standsInBlock(sign)) {
      while (columns.length > 0 && columns.at(-1)! > column) columns.pop();
      if (columns.at(-1) !== column) columns.push(column);
    }
    if (brackets + columns.length > maxNesting) return { line, column };
    const newline = sign.lastIndexOf('\n');
    if (newline === -1) column += sign.length;
    else {
      line += sign.split('\n').length - 1;
      column = sign.length - newline;
    }
  }
  return undefined;
}

/** Text of several lines and comments begin where they like. */
const standsInBlock = (sign: string): boolean => sign.trim() !== '' && !sign.includes('\n') && !sign.startsWith('#');

/** Of what a document holds, two are meant to be two documents. */
export const documentParts = ['trigger', 'agent', 'schedule', 'absence'];
const another = '; another one begins after a line with nothing but ---';

/**
 * What the library lets pass: a name twice, the name that is no name, and aliases, which can multiply or hold themselves.
 * With names that cannot stay taken out it can be read; with aliases it cannot.
 */
function wrongIn(parsed: Document.Parsed, place: (offset: number) => TextPosition): { problems: TextProblem[]; readable: boolean } {
  const problems: TextProblem[] = [];
  let readable = true;
  const open: (Node | null)[] = [parsed.contents];
  const wrong = (node: Node | null, message: string): void => {
    if (problems.length < mostProblems) problems.push({ ...place(node?.range?.[0] ?? 0), message });
  };
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isAlias(node)) {
      wrong(node, 'must be written out: aliases are not taken');
      readable = false;
    }
    if (node?.tag !== undefined && !isPlainTag(node.tag)) {
      wrong(node, tagText);
      readable = false;
    }
    if (isSeq(node)) open.push(...(node.items as Node[]));
    if (!isMap<Node, Node | null>(node)) continue;
    const names = new Set<unknown>();
    const isOutermost = node === parsed.contents && node.flow !== true;
    node.items = node.items.filter(({ key, value }) => {
      open.push(value);
      const name = isScalar(key) ? key.value : undefined;
      const isBad = name === '__proto__' || names.has(name);
      if (isBad)
        wrong(
          key,
          name === '__proto__'
            ? 'must not be used as a name'
            : `stands here twice: ${String(name)}${isOutermost && documentParts.includes(String(name)) ? another : ''}`,
        );
      names.add(name);
      return !isBad;
    });
  }
  return { problems, readable };
}

/** `!!str` and the like say what a value is anyway; `!!set` and `!!binary` would make what no field takes. */
const isPlainTag = (tag: string): boolean => /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(tag);

function documentOf(parsed: Document.Parsed, place: (offset: number) => TextPosition): ReadDocument {
  const start = place(parsed.contents?.range?.[0] ?? parsed.range[0]);
  const placeOf = (path: readonly PropertyKey[]): TextPosition => {
    for (let length = path.length; length > 0; length--) {
      const around = parsed.getIn(path.slice(0, length - 1), true) as Node | undefined;
      const last = path[length - 1];
      const pair = isMap<Node>(around) ? around.items.find(({ key }) => isScalar(key) && key.value === last) : undefined;
      const node = pair?.key ?? (isSeq(around) && typeof last === 'number' ? (around.items[last] as Node | undefined) : undefined);
      if (node?.range) return place(node.range[0]);
    }
    return start;
  };
  return { value: parsed.toJS() as unknown, placeOf, start };
}
