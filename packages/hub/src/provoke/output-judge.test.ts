import { uncheckedPatterns, compileManifest } from '@parley/core/provoke';
import { Manifest } from '@parley/protocol';
import { expect, test } from 'vitest';
import { Matcher } from '../regex/matcher.ts';
import type { MatchQuestion } from '../regex/question.ts';
import type { Ran } from '../regex/thread.ts';
import { outputJudge } from './attempt.ts';

test('[PRV-6] [PRV-13] an output is judged by the thread where its schema asks a pattern, and only there', async () => {
  const asked: MatchQuestion[] = [];
  let ran: Ran = { answers: [] };
  const run = (questions: readonly MatchQuestion[]): Promise<Ran> => (asked.push(...questions), Promise.resolve(ran));
  const matcher = new Matcher({ answering: () => ({ run, close: () => Promise.resolve() }) });
  const properties = { a: { type: 'string', pattern: 'x' }, b: { type: 'number' } };
  const output = { type: 'structured', schema: { type: 'object', properties } };
  const compiled = compileManifest(Manifest.parse({ id: 'planner', risk_level: 'low', output }), uncheckedPatterns);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const judge = outputJudge(matcher, compiled.value, 'ann');
  expect(await judge('{"b":1}')).toEqual({ ok: true, value: { b: 1 } });
  expect(await judge('no JSON')).toMatchObject({ ok: false });
  expect(asked).toEqual([]);
  ran = { answers: [{ value: { ok: true, value: { a: 'x' } }, ms: 1 }] };
  expect(await judge('{"a":"x"}')).toEqual({ ok: true, value: { a: 'x' } });
  expect(asked).toEqual([{ kind: 'judge', output: JSON.stringify(compiled.value.manifest.output), text: '{"a":"x"}' }]);
  ran = { answers: [], stopped: { at: 0, ms: 1000 } };
  expect(await judge('{"a":"x"}')).toEqual({
    ok: false,
    problems: [{ field: '(output)', message: 'takes too long to be checked against its schema' }],
  });
});
