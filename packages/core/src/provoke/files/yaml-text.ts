// Reads the text of a file of triggers or manifests into plain values, with the position of each (PRV-4). JSON is read as
// YAML too, so that both get line and column. The author is not trusted: limits keep a file from stopping the parser.

import { Composer, type Document, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, Parser } from 'yaml';
import { maxNesting, tooDeep } from '../events/value-limits.ts';
import { tagText, yamlWords } from './yaml-errors.ts';

export const largestFile = 128 * 1024;
/** For a file that sets up one agent or some tool servers. The time to read a file grows with its size. */
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
  /** The position of a field; for a missing field, that of the nearest one around it. */
  placeOf: (path: readonly PropertyKey[]) => TextPosition;
  start: TextPosition;
}
/** `documents` of a file with problems: the ones that could be read, whose own problems are reported as well. */
export type ReadText = { ok: true; documents: ReadDocument[] } | { ok: false; problems: TextProblem[]; documents: ReadDocument[] };

type PlaceOf = (offset: number) => TextPosition;

export function readText(text: string, largest = largestFile): ReadText {
  const documents: ReadDocument[] = [];
  const problems: TextProblem[] = [];
  const refuse = (message: string, at: TextPosition = { line: 1, column: 1 }): ReadText => ({
    ok: false,
    problems: [...problems, { ...at, message }],
    documents,
  });
  if (text.length > largest) return refuse(`must be at most ${largest} characters`);
  const deepest = tooDeepAt(text);
  if (deepest) return refuse(tooDeep, deepest);
  const lines = new LineCounter();
  const placeOf: PlaceOf = (offset) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  for (const parsed of parse(text, lines)) {
    // Only the first error counts: the parser has lost its way after it, and its further errors describe itself.
    const [syntaxError] = [...parsed.errors, ...parsed.warnings];
    if (syntaxError) {
      const { message, at } = yamlWords(syntaxError, text);
      return refuse(message, placeOf(at));
    }
    const { problems: invalid, readable } = dropInvalidNames(parsed, placeOf);
    problems.push(...invalid);
    if (problems.length >= mostProblems) return { ok: false, problems: problems.slice(0, mostProblems), documents: [] };
    if (!readable || isEmpty(parsed)) continue;
    documents.push(documentOf(parsed, placeOf));
    if (documents.length > mostDocuments) return refuse(`must hold at most ${mostDocuments} documents`, placeOf(parsed.range[0]));
  }
  if (problems.length > 0) return { ok: false, problems, documents };
  return documents.length === 0 ? refuse('must not be empty') : { ok: true, documents };
}

/** A file that ends with `---` has an empty document after it. */
const isEmpty = ({ contents }: Document.Parsed): boolean => contents === null || (isScalar(contents) && contents.value === null);

/** Private members of the library's composer: the errors of the stream so far, and the function that adds one. */
type ComposerInternals = { errors: readonly unknown[]; onError: (...about: unknown[]) => void };
const internalsOf = (composer: Composer): ComposerInternals => composer as unknown as ComposerInternals;

/** A file can have an error at every character, and each error is a large object: past the limit, none is made. */
function limitErrors(composer: Composer): void {
  const internals = internalsOf(composer);
  const addError = internals.onError;
  let count = 0;
  internals.onError = (...about) => {
    if (count++ < mostProblems) addError(...about);
  };
}

function* parse(text: string, lines: LineCounter): Generator<Document.Parsed> {
  // `dropInvalidNames` finds names that are used twice: the library's own comparison takes a minute for thirty thousand.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, stringKeys: true, version: '1.2', schema: 'core' });
  limitErrors(composer);
  // The composer replaces the list with each document.
  const errorCount = (): number => internalsOf(composer).errors.length;
  let strayTokens = 0;
  for (const token of new Parser(lines.addNewLine).parse(text)) {
    yield* composer.next(token);
    if (token.type === 'error') strayTokens++;
    // Each line outside of any document makes an error. Past the limit, the rest is not read.
    if (strayTokens >= mostProblems || errorCount() >= mostProblems) break;
  }
  // Errors are reported with a document. A file with nothing but errors gets an empty one here.
  yield* composer.end(errorCount() > 0, 0) as Generator<Document.Parsed>;
}

/**
 * The first position that is nested too deeply, found in the tokens before anything is built: the builder recurses, and
 * can take the process with it when the stack is full. Counts open brackets, and in block style the open columns.
 */
function tooDeepAt(text: string): TextPosition | undefined {
  let [line, column, brackets] = [1, 1, 0];
  const columns: number[] = [];
  for (const token of new Lexer().lex(text)) {
    // The lexer's marks for documents, flows and scalars stand for no text.
    if (token === '\u0002' || token === '\u0018' || token === '\u001F') continue;
    if (token === '[' || token === '{') brackets++;
    else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1);
    else if (brackets === 0 && opensColumn(token)) {
      while (columns.length > 0 && columns.at(-1)! > column) columns.pop();
      if (columns.at(-1) !== column) columns.push(column);
    }
    if (brackets + columns.length > maxNesting) return { line, column };
    const newline = token.lastIndexOf('\n');
    if (newline === -1) column += token.length;
    else {
      line += token.split('\n').length - 1;
      column = token.length - newline;
    }
  }
  return undefined;
}

/** Comments and texts of several lines may begin in any column, so that their columns say nothing. */
const opensColumn = (token: string): boolean => token.trim() !== '' && !token.includes('\n') && !token.startsWith('#');

/** The outermost names of a document. One that comes twice is probably meant to begin a second document. */
export const documentParts = ['trigger', 'agent', 'schedule', 'absence'];
const secondDocumentHint = '; another one begins after a line with nothing but ---';

/**
 * Refuses YAML that the library accepts: a name that is used twice, the name `__proto__`, tags, and aliases, which can
 * multiply or contain themselves. Drops the refused names so that the rest can be read; with an alias or a tag it cannot.
 */
function dropInvalidNames(parsed: Document.Parsed, placeOf: PlaceOf): { problems: TextProblem[]; readable: boolean } {
  const problems: TextProblem[] = [];
  let readable = true;
  const nodes: (Node | null)[] = [parsed.contents];
  const refuse = (node: Node | null, message: string): void => {
    if (problems.length < mostProblems) problems.push({ ...placeOf(node?.range?.[0] ?? 0), message });
  };
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (isAlias(node)) {
      refuse(node, 'must be written out: aliases are not taken');
      readable = false;
    }
    if (node?.tag !== undefined && !isPlainTag(node.tag)) {
      refuse(node, tagText);
      readable = false;
    }
    if (isSeq(node)) nodes.push(...(node.items as Node[]));
    if (!isMap<Node, Node | null>(node)) continue;
    const names = new Set<unknown>();
    const isOutermost = node === parsed.contents && node.flow !== true;
    node.items = node.items.filter(({ key, value }) => {
      nodes.push(value);
      const name = isScalar(key) ? key.value : undefined;
      const isRepeated = names.has(name);
      names.add(name);
      if (name !== '__proto__' && !isRepeated) return true;
      const hint = isOutermost && documentParts.includes(String(name)) ? secondDocumentHint : '';
      refuse(key, name === '__proto__' ? 'must not be used as a name' : `stands here twice: ${String(name)}${hint}`);
      return false;
    });
  }
  return { problems, readable };
}

/** `!!str` and the like repeat the value's own type; `!!set` and `!!binary` would make values that no field takes. */
const isPlainTag = (tag: string): boolean => /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(tag);

function documentOf(parsed: Document.Parsed, placeAt: PlaceOf): ReadDocument {
  const start = placeAt(parsed.contents?.range?.[0] ?? parsed.range[0]);
  const placeOf = (path: readonly PropertyKey[]): TextPosition => {
    for (let length = path.length; length > 0; length--) {
      const parent = parsed.getIn(path.slice(0, length - 1), true) as Node | undefined;
      const last = path[length - 1];
      const pair = isMap<Node>(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === last) : undefined;
      const node = pair?.key ?? (isSeq(parent) && typeof last === 'number' ? (parent.items[last] as Node | undefined) : undefined);
      if (node?.range) return placeAt(node.range[0]);
    }
    return start;
  };
  return { value: parsed.toJS() as unknown, placeOf, start };
}
