import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parley } from '../kit.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
});
afterAll(() => rm(cwd, { recursive: true }));

const vectors = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../../spec/vectors/${name}.json`, import.meta.url), 'utf8'));
const lines = (values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const answers = (out: string): unknown[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

const members = [
  { handle: 'ORAC', kind: 'agent' },
  { handle: 'matt', kind: 'human' },
];
const text = (words: string) => ({ text: words, members });
const said = (content: string, more: object = {}) => ({
  conversation: { kind: 'channel', floor: 'polite', members },
  author: 'matt',
  content,
  ...more,
});
const orac = { kind: 'agent', handle: 'ORAC', start: 0, end: 5 };
const called = { ORAC: { policy: 'must_respond', mode: 'buffered', reason: 'mention', task: true } };

describe('parley address', () => {
  it('[PAP-18] answers every line of the vectors, in order', async () => {
    const { members: all, cases } = vectors('address') as { members: object[]; cases: { text: string; addresses: object[] }[] };
    const { code, out, err } = await parley(['address'], { cwd, input: lines(cases.map((one) => ({ text: one.text, members: all }))) });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(answers(out)).toEqual(cases.map(({ addresses }) => ({ addresses })));
  });

  it('[PAP-18] keeps up with thousands of lines, with a long one among them', async () => {
    const questions = Array.from({ length: 5000 }, (_, i) =>
      text(i === 2500 ? `^ORAC ${'🎉'.repeat(50_000)}` : `${' '.repeat(i % 3)}^ORAC ${i}`),
    );
    const { code, out } = await parley(['address'], { cwd, input: lines(questions) });
    expect(code).toBe(0);
    expect(answers(out)).toEqual(
      questions.map((one) => ({ addresses: [{ ...orac, start: one.text.indexOf('^'), end: one.text.indexOf('^') + 5 }] })),
    );
  });

  it('reads the last line without its end, passes over empty ones, takes Windows’ line ends and fields it does not know', async () => {
    const asked = JSON.stringify({ id: 7, text: '^orac', members: [{ ...members[0], id: 'x', online: true }] });
    const { code, out } = await parley(['address'], { cwd, input: `\n${asked}\r\n  \n\r\n${asked}` });
    expect(code).toBe(0);
    expect(answers(out)).toEqual([{ addresses: [orac] }, { addresses: [orac] }]);
  });

  it('says nothing to nothing', async () => {
    expect(await parley(['address'], { cwd })).toMatchObject({ code: 0, out: '', err: '' });
  });

  const invalid = (...fields: string[]) => ({
    error: { code: 'invalid_request', problems: fields.map((field) => ({ field, message: expect.any(String) as string })) },
  });
  const badLines: [string, object][] = [
    ['nope', { error: { code: 'malformed_json' } }],
    ['{"text":"', { error: { code: 'malformed_json' } }],
    ['['.repeat(100_000), { error: { code: 'malformed_json' } }],
    ['[]', invalid('(line)')],
    ['null', invalid('(line)')],
    ['{}', invalid('text', 'members')],
    ['{"text":1,"members":[]}', invalid('text')],
    ['{"text":"","members":{}}', invalid('members')],
    ['{"text":"","members":[{"handle":"x","kind":"robot"}]}', invalid('members.0.kind')],
    ['{"text":"","members":[{"handle":"^x","kind":"agent"}]}', invalid('members.0.handle')],
    ['{"text":"","members":[{"handle":"All","kind":"agent"}]}', invalid('members.0.handle')],
    ['{"text":"","members":[{"handle":"x","kind":"agent"},{"handle":"X","kind":"human"}]}', invalid('members')],
  ];
  it('answers each bad line in its place, goes on, and ends with 2', async () => {
    const good = JSON.stringify(text('^ORAC'));
    const input = badLines.map(([bad]) => `${good}\n${bad}\n`).join('');
    const { code, out, err } = await parley(['address'], { cwd, input });
    const [bad, all] = [badLines.length, badLines.length * 2];
    expect({ code, err }).toEqual({ code: 2, err: `${bad} of ${all} lines could not be answered: \`error\` in its place says why.\n` });
    expect(answers(out)).toEqual(
      badLines.flatMap(([, error]) => [
        { addresses: [orac] },
        expect.objectContaining({ error: expect.objectContaining(error['error' as never]) }),
      ]),
    );
  });

  it('a line that is not UTF-8, and one that is too long, are bad lines', async () => {
    const good = Buffer.from(`${JSON.stringify(text('^ORAC'))}\n`);
    const input = Buffer.concat([Buffer.from([0x22, 0xff, 0x22, 0x0a]), Buffer.alloc(17 * 1024 * 1024, 'x'), Buffer.from('\n'), good]);
    const { code, out } = await parley(['address', '--json'], { cwd, input });
    expect(code).toBe(2);
    expect(answers(out)).toMatchObject([{ error: { code: 'malformed_json' } }, { error: { code: 'too_large' } }, { addresses: [orac] }]);
  });
});

describe('parley decide', () => {
  it('stops when nobody reads the answers any more', async () => {
    const launcher = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url));
    const child = spawn(process.execPath, [launcher, 'decide'], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    let err = '';
    child.stderr.on('data', (data) => (err += String(data)));
    // It goes away in the middle of its input; what is still on the way to it has no reader.
    child.stdin.on('error', () => {});
    child.stdout.once('data', () => child.stdout.destroy());
    child.stdin.end(lines(Array.from({ length: 100_000 }, () => said('^ORAC hi'))));
    const [code] = await once(child, 'close');
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('[SYS-3] answers every line of the vectors, in order', async () => {
    const cases = vectors('decide') as { in: object; out: object }[];
    const { code, out, err } = await parley(['decide'], { cwd, input: lines(cases.map((one) => one.in)) });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(answers(out)).toEqual(cases.map((one) => one.out));
    // Nothing was begun: it needs no workspace.
    expect(await readdir(cwd)).toEqual([]);
  });

  it('[PAP-6] has a verdict for every agent, and for nobody else', async () => {
    const nobody = { ...said('hello'), conversation: { kind: 'channel', members: [members[1]] } };
    const { out } = await parley(['decide'], { cwd, input: lines([said('^ORAC hi'), nobody]) });
    expect(answers(out)).toEqual([{ verdicts: called }, { verdicts: {} }]);
  });

  it('names each field that is wrong, and goes on', async () => {
    const wrong = [
      { content: 1, author: '', conversation: { kind: 'club', floor: 'loud', members: [{ handle: 'ORAC', kind: 'agent', left: 'yes' }] } },
      said('x', { attachments: -1, path: 'ORAC' }),
    ];
    const { code, out } = await parley(['decide'], { cwd, input: lines([...wrong, said('^ORAC hi')]) });
    expect(code).toBe(2);
    const [first, second, third] = answers(out) as { error: { problems: { field: string }[] } }[];
    const fields = (answer: typeof first) => answer!.error.problems.map(({ field }) => field);
    expect(fields(first)).toEqual(['conversation.kind', 'conversation.floor', 'conversation.members.0.left', 'author', 'content']);
    expect(fields(second)).toEqual(['attachments', 'path']);
    expect(third).toEqual({ verdicts: called });
  });
});
