// JSON lines in, JSON lines out: one answer per line, in order, for a caller with thousands of decisions or many events. A
// line that cannot be answered gets an error in its place and the rest goes on.

import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { errorCodes, ParleyError, plainErrors, type Problem, problemsOf } from '@parley/protocol';
import type { z } from 'zod';
import { exitCodes } from './exit.ts';
import { count, type Output } from './output.ts';

/** A question about ten thousand agents takes a tenth of this. A longer line is not kept in memory. */
const longestLine = 16 * 1024 * 1024;

interface Streams {
  input: Readable & { isTTY?: boolean };
  out: Writable;
}

/** Answers until the input ends, or the reader of the answers leaves. */
export async function answerLines<T>(
  schema: z.ZodType<T>,
  answer: (question: T) => unknown,
  output: Output,
  { input, out }: Streams = { input: process.stdin, out: process.stdout },
): Promise<void> {
  if (input.isTTY) output.note('One JSON document per line; end with Ctrl-D on an empty line.');
  let lines = 0;
  let failed = 0;
  for await (const batch of linesOf(input)) {
    let answers = '';
    for (const line of batch) {
      if (line !== undefined && isBlank(line)) continue;
      lines++;
      try {
        const result = answer(question(schema, line));
        // A synchronous answer is not awaited, because the wait would cost more than the answer.
        answers += `${JSON.stringify(result instanceof Promise ? await result : result)}\n`;
      } catch (error) {
        if (!(error instanceof ParleyError)) throw error;
        failed++;
        const { code, message, problems } = error;
        answers += `${JSON.stringify({ error: { code, message, ...(problems.length > 0 ? { problems } : {}) } })}\n`;
      }
    }
    // One write for each batch. The loop waits for the reader, so that answers do not pile up.
    if (answers !== '' && !out.write(answers) && !(await hasDrained(out))) break;
  }
  if (failed === 0) return;
  output.note(`${failed} of ${count(lines, 'line')} could not be answered: \`error\` in its place says why.`);
  process.exitCode = exitCodes.usage.status;
}

function question<T>(schema: z.ZodType<T>, line: Uint8Array | undefined): T {
  if (line === undefined) throw new ParleyError('too_large', `The line is longer than ${longestLine} bytes.`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch (error) {
    throw new ParleyError('malformed_json', `The line is not JSON: ${error instanceof SyntaxError ? error.message : 'it is not UTF-8'}.`);
  }
  const parsed = schema.safeParse(value, plainErrors);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error).map((problem): Problem => ({
    ...problem,
    field: problem.field === '(body)' ? '(line)' : problem.field,
  }));
  throw new ParleyError('invalid_request', errorCodes.invalid_request.text, { problems });
}

const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

/** The lines that each piece of input completes; undefined stands for one that was too long. */
async function* linesOf(input: Readable): AsyncGenerator<(Uint8Array | undefined)[]> {
  let lineParts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > longestLine) lineParts = [];
    else lineParts.push(part);
  };
  const finish = (): Uint8Array | undefined => {
    const line = length > longestLine ? undefined : lineParts.length === 1 ? lineParts[0] : Buffer.concat(lineParts);
    [lineParts, length] = [[], 0];
    return line;
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    const lines: (Uint8Array | undefined)[] = [];
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      keep(chunk.subarray(from, end));
      lines.push(finish());
      from = end + 1;
    }
    if (from < chunk.length) keep(chunk.subarray(from));
    yield lines;
  }
  if (length > 0) yield [finish()];
}

/** Waits until the answers are written. False if the reader has left (`| head`). */
async function hasDrained(out: Writable): Promise<boolean> {
  if (!out.destroyed && out.writableNeedDrain) {
    await Promise.race([once(out, 'drain'), once(out, 'close')]).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return !out.destroyed && out.errored === null;
}
