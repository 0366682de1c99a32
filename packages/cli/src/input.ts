// Texts, values and secrets that a command takes from its options, from files and from who types them.

import { readFile } from 'node:fs/promises';
import { CliError } from './exit.ts';

/** All of it, without the line end that closes it. `hint` is shown to a person who types it. */
export async function standardInput(hint: string): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write(`${hint}\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** The content of a file; `-` is standard input. */
export async function fileText(file: string, hint = 'Type the text; end with Ctrl-D on an empty line.'): Promise<string> {
  return file === '-' ? standardInput(hint) : readFile(file, 'utf8');
}

/** Never an argument: other users of a machine can see those, and a shell keeps them. Undefined: the person leaves. */
export async function typedSecret(message: string): Promise<string | undefined> {
  const { isCancel, password } = await import('@clack/prompts');
  const typed = await password({ message, output: process.stderr });
  return isCancel(typed) ? undefined : (typed ?? '');
}

/** `what`: the option or file that it comes from. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError('usage', `${what} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}

export function wholeNumber(option: string, text: string, least: 0 | 1 = 0): number {
  if (!(least === 0 ? /^\d+$/ : /^[1-9]\d*$/).test(text)) throw new CliError('usage', `${option} ${text} is not a whole number.`);
  return Number(text);
}

/** `a, b`, as several options take names. */
export const namesIn = (list = ''): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
