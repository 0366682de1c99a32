import { PassThrough } from 'node:stream';
import type { Checkpoint } from '@parley/protocol';
import { expect, test } from 'vitest';
import { tapThrough } from './checkpoint-prompts.ts';

const checkpoint = (id: string): Checkpoint =>
  ({
    id,
    text: 'InternBot wants to contact SeniorAnalystBot:',
    choices: [
      { choice: 'approve', label: 'Approve' },
      { choice: 'deny', label: 'Deny' },
      { choice: 'always', label: 'Always' },
    ],
    open: true,
    choice: null,
  }) as unknown as Checkpoint;

const enter = '\r';
const down = '\u001B[B';
const cancel = '\u0003';

/** A person at a terminal: the keys they press at each prompt. */
async function tapped(keys: string[][], closedAs?: string, given = ['chk_1', 'chk_2', 'chk_3'].map(checkpoint), words?: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let screen = '';
  let asked = 0;
  let typed = words;
  output.on('data', (chunk: Buffer) => {
    const text = chunk.toString();
    screen += text;
    if (text.includes('something else then')) setImmediate(() => input.write('y'));
    if (/suits you\?|which value\?/.test(text) && typed !== undefined) {
      for (const key of [typed, enter]) setImmediate(() => input.write(key));
      typed = undefined;
    }
    if (!text.includes('What do you say?')) return;
    const pressed = keys[asked];
    if (pressed === undefined || !text.includes('Later')) return;
    asked++;
    for (const key of pressed) setImmediate(() => input.write(key));
  });
  const answers: string[][] = [];
  const seen: (string | null)[] = [];
  await tapThrough(given, {
    whole: (id) => Promise.resolve({ ...checkpoint(id), detail: 'all of it, to the last word', digest: 'of-all' }),
    show: ({ text, detail }) => Promise.resolve(`${text}\n${detail ?? 'Action: ask'}`),
    answer: ({ id, digest }, choice, said) => {
      answers.push([id, choice, ...(said === undefined ? [] : [said])]);
      seen.push(digest);
      if (choice === 'confirm')
        return Promise.reject(Object.assign(new Error('Your calendar has something else then.'), { code: 'calendar_conflict' }));
      return Promise.resolve({ ...checkpoint(id), open: false, choice: closedAs ?? choice, already: closedAs !== undefined });
    },
    share: ({ id }, values) => {
      answers.push([id, 'share', JSON.stringify(values)]);
      return Promise.resolve({ ...checkpoint(id), open: false, choice: 'share', already: false });
    },
    remarkOn: ({ choice, already }) => (already ? `It was answered before: ${choice}.` : undefined),
    input,
    output,
  });
  return { answers, screen, seen };
}

test('[SYS-1] one tap each: what is chosen is answered, what is put off is left', async () => {
  const { answers, screen } = await tapped([
    [down, enter],
    [down, down, enter],
    [down, down, down, down, enter],
  ]);
  expect(answers).toEqual([
    ['chk_1', 'approve'],
    ['chk_2', 'deny'],
  ]);
  expect(screen).toContain('InternBot wants to contact SeniorAnalystBot:');
  expect(screen).toContain('1 left for later.');
});

test('[PRV-11] [IAC-14] Enter alone approves nothing: what stands there first does nothing', async () => {
  const { answers, screen } = await tapped([[enter], [enter], [enter]]);
  expect(answers).toEqual([]);
  expect(screen).toContain('3 left for later.');
});

test('[SYS-1] Ctrl-C leaves the rest, and who was not the first is remarkOn', async () => {
  const { answers, screen } = await tapped([[down, enter], [cancel]], 'deny');
  expect(answers).toEqual([['chk_1', 'approve']]);
  expect(screen).toContain('It was answered before: deny.');
  expect(screen).toContain('The rest waits.');
});

test('[SYS-1] [IAC-14] what is listed with a part of it is shown whole before anybody approves it', async () => {
  const part = { ...checkpoint('chk_1'), detail: 'only the beg…', cut: true, digest: null };
  const { answers, screen, seen } = await tapped([[down, enter]], undefined, [part]);
  expect([answers, seen]).toEqual([[['chk_1', 'approve']], ['of-all']]);
  expect(screen).toContain('all of it, to the last word');
  expect(screen).not.toContain('only the beg…');
});

test('[A2C-26] something different than a proposal takes words', async () => {
  const choices = [{ choice: 'different', label: 'Suggest something different' }];
  const proposal = { ...checkpoint('chk_1'), kind: 'proposal', choices };
  const { answers } = await tapped([[down, enter]], undefined, [proposal], 'Saturday 20:00');
  expect(answers).toEqual([['chk_1', 'different', 'Saturday 20:00']]);
});

test('[A2C-26] confirming over another event takes a second answer that names it', async () => {
  const proposal = { ...checkpoint('chk_1'), kind: 'proposal', choices: [{ choice: 'confirm', label: 'Confirm' }] };
  const { answers } = await tapped([[down, enter]], undefined, [proposal]);
  expect(answers).toEqual([
    ['chk_1', 'confirm'],
    ['chk_1', 'confirm_anyway'],
  ]);
});

test('[A2C-22] a field without a value is shared with one that the person types', async () => {
  const fields = [{ field: 'cuisine_preference', reason: null, value: null, choices: ['Thai'], offersAlways: false }];
  const card = { kind: 'consent', fields } as unknown as NonNullable<Checkpoint['card']>;
  const consent = { ...checkpoint('chk_1'), kind: 'consent', card, choices: [{ choice: 'decline', label: 'Decline' }] };
  const { answers, screen } = await tapped([[down, enter]], undefined, [consent], 'Italian');
  expect(answers).toEqual([['chk_1', 'share', '{"cuisine_preference":"Italian"}']]);
  expect(screen).toContain('Perhaps Thai.');
});
