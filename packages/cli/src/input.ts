import { readFile } from 'node:fs/promises';

/** All of it, without the line end that closes it. `hint` is shown to a person who types it. */
export async function standardInput(hint: string): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write(`${hint}\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** What stands in a file; `-` is standard input. */
export async function fileText(file: string, hint = 'Type the text; end with Ctrl-D on an empty line.'): Promise<string> {
  return file === '-' ? standardInput(hint) : readFile(file, 'utf8');
}
