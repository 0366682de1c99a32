// The problems of a file's text, in words for its author. The parser knows where it stopped; the line there shows what to
// write instead.

export interface ParserError {
  code: string;
  message: string;
  pos: readonly [number, number];
}
/** `at`: where in the text it is to be looked for. */
export interface YamlProblem {
  message: string;
  at: number;
}

/** No longer than this is looked at: a line can be the whole file. */
const longest = 500;

export function yamlWords({ code, message, pos: [offset] }: ParserError, text: string): YamlProblem {
  const problem = (said: string, at = offset): YamlProblem => ({ message: said, at });
  const before = text.slice(Math.max(0, offset - longest), offset);
  const rest = lineOf(text.slice(offset, offset + longest));
  const line = /[^\n]*$/.exec(before)![0] + rest;
  switch (code) {
    case 'TAB_AS_INDENT':
      return problem('must be indented with blanks, not with a tab');
    case 'BLOCK_AS_IMPLICIT_KEY':
      return /:(?:\s|$)/.test(rest) ? problem('must be in quotes: it has ": " in it') : problem(notBeside, nextLine(text, offset));
    case 'BLOCK_IN_FLOW':
      return problem('a comma is missing, or what has ": " in it must be in quotes');
    case 'BAD_INDENT':
      return message.startsWith('Flow ') ? unclosed(message, text, offset) : problem(notBeside, indented(text, offset));
    case 'MULTILINE_IMPLICIT_KEY':
      // A number goes on to the next line, and so, without a comma, does the name there.
      return problem(/[:,{[][ \t]*$/.test(before) ? 'a comma is missing after it' : noColon(line));
    case 'MISSING_CHAR':
      return missing(message, line, text, offset);
    case 'BAD_SCALAR_START':
      return problem(`must be in quotes: a text cannot begin with ${rest.slice(0, 1)}`);
    case 'BAD_ALIAS':
      return problem('must be in quotes: * and & have a meaning of their own');
    case 'BAD_DQ_ESCAPE': {
      const escape = /\\.?/.exec(message)?.[0] ?? '\\';
      return problem(`${escape} means nothing between double quotes: write \\${escape}, or use single quotes`);
    }
    case 'TAG_RESOLVE_FAILED':
      return problem(tagText);
    case 'UNEXPECTED_TOKEN':
      return problem(unexpected(message, before, rest));
    case 'NON_STRING_KEY':
      return problem('must be a name: a text, and no list or object');
    case 'KEY_OVER_1024_CHARS':
      return problem('is too long for a name');
    default:
      return problem(`is not YAML: ${message}`);
  }
}

export const tagText = 'must be in quotes: what begins with ! is a tag, and tags are not taken';

const lineOf = (text: string): string => text.split('\n', 1)[0]!;

const notBeside = 'must begin in the same column as the fields beside it';

function noColon(line: string): string {
  if (/^\s*-\s/.test(line)) return 'must not begin with "- ": what it stands beside is no list';
  if (/^[\s-]*[\w.-]+:[^\s:]/.test(line)) return 'a blank must follow the colon';
  return 'must be a name and a value, with a colon and a blank between; a text of several lines is indented further than its name';
}

/** An unclosed list or object in brackets, reported where it begins. */
function unclosed(message: string, text: string, offset: number): YamlProblem {
  const [open, close] = message.includes('map') ? ['{', '}'] : ['[', ']'];
  const from = Math.max(0, offset - longest);
  const signs = text.slice(from, offset).replace(/(?<=\s)#[^\n]*/g, (comment) => ' '.repeat(comment.length));
  let at = signs.length - 1;
  for (let closed = 0; at >= 0; at--) {
    if (signs[at] === close) closed++;
    else if (signs[at] === open && closed-- === 0) break;
  }
  if (at < 0) return { message: `a ${open} is not closed with a ${close}`, at: offset };
  const hasComment = lineOf(signs.slice(at)) !== lineOf(text.slice(from + at, offset));
  const hint = hasComment ? '; # begins a comment: put what it is part of in quotes' : '';
  return { message: `the ${open} is not closed with a ${close}${hint}`, at: from + at };
}

function missing(message: string, line: string, text: string, at: number): YamlProblem {
  if (message.startsWith('Flow ')) return unclosed(message, text, at);
  if (message.startsWith('Missing closing')) return openQuote(message.includes('"') ? '"' : "'", text, at);
  if (message.startsWith('Missing , or : ')) return { message: 'a colon or a comma is missing before it', at };
  if (message.startsWith('Missing , ')) return { message: 'a comma is missing before it', at };
  if (message.startsWith('Missing space after :')) return { message: 'a blank must follow the colon', at };
  if (message.startsWith('Implicit map keys')) return { message: noColon(line), at };
  if (message.startsWith('Comments must')) return { message: 'a blank must stand before #', at };
  if (message.startsWith('Sequence item'))
    return { message: 'must begin with "- " as the list does, or in the same column as the fields above it', at: indented(text, at) };
  return { message: `is not YAML: ${message}`, at };
}

function unexpected(message: string, before: string, rest: string): string {
  // A path with brackets is, without quotes, the beginning of a list.
  if (rest.startsWith('[') && /(?:^|[\s{,[])\$[^\s,'"{}]*$/.test(before)) return 'put the path in quotes: [ begins a list';
  if (message.startsWith('Block scalar header')) return 'the text of | or > begins on the line after it';
  if (/^[}\]]/.test(rest)) return `${rest.slice(0, 1)} closes nothing`;
  if (rest.startsWith(',')) return 'a comma stands where a value should';
  if (/^-\s/.test(rest)) return 'a list must begin on a line of its own';
  const isBeside = message.endsWith('at node end') && !/^[{["']/.test(rest);
  return isBeside
    ? 'stands after the end of the value: put all of it in quotes'
    : 'a comma is missing before it, or all of the value must be in quotes';
}

/** The first sign of a line, which its indentation may reveal. */
const indented = (text: string, offset: number): number => offset + /^[ \t]*/.exec(text.slice(offset, offset + longest))![0].length;

function nextLine(text: string, offset: number): number {
  const found = /\n[ \t]*(?=[^\s#])/.exec(text.slice(offset, offset + longest));
  return found ? offset + found.index + found[0].length : offset;
}

/** The parser tells it at the end of the file; it begins where the first one in its line has no partner. */
function openQuote(quote: string, text: string, offset: number): YamlProblem {
  const message = `the quote ${quote} is not closed`;
  let start = 0;
  for (const line of text.slice(0, offset).split('\n')) {
    const begins = line.split(quote).length % 2 === 0 ? new RegExp(`(?<![^\\s:,[{(-])${quote}`).exec(line) : null;
    if (begins) return { message, at: start + begins.index };
    start += line.length + 1;
  }
  return { message, at: offset };
}
