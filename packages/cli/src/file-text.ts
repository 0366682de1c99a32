import { readFile } from 'node:fs/promises';
import { standardInput } from './standard-input.ts';

/** What stands in a file; `-` is standard input. */
export async function fileText(file: string, hint = 'Type the text; end with Ctrl-D on an empty line.'): Promise<string> {
  return file === '-' ? standardInput(hint) : readFile(file, 'utf8');
}
