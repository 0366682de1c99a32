// What a person has to say to a model's calls: those it approved are made first, those it has not wait, those it refused
// are not made. Without a hub: the brain has a turn and nothing else.

import { type ModelServer, startModels } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SecretStore } from '../../../src/agents/secrets.ts';
import type { AnsweredCall, BrainTurn, Tool } from '../../../src/brains/brain.ts';
import { ModelBrain } from '../../../src/brains/model/brain.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Store } from '../../../src/store/port.ts';
import { ApprovalDenial, NeedsApproval } from '../../../src/executor/journal.ts';
import { tool } from '../../kit/models.ts';

let models: ModelServer;
beforeAll(async () => {
  models = await startModels();
});
afterAll(() => models.stop());

const keys = { keyFor: () => Promise.resolve('a key') } as unknown as SecretStore;
const mark = 'a-mark-that-nobody-can-guess';

async function turnOf(tools: Tool[], step: BrainTurn['step'], approved: AnsweredCall[] = []) {
  const brain = { kind: 'model', provider: 'anthropic', model: 'm', baseUrl: models.baseUrl('anthropic'), key: 'canary' };
  const data = JSON.stringify({ instructions: '', memory: '', tools: [], brain });
  const store = { rows: () => Promise.resolve([{ version: 1, mode: 'autonomous', data }]) } as unknown as Store;
  const turn = {
    me: { id: 'a', handle: 'A' },
    prompt: () => ({ system: 'rules', user: 'the task', mark }),
    signal: new AbortController().signal,
    draft: () => {},
    step,
    notes: (memory: string) => Promise.resolve({ text: memory, withheld: 0 }),
    approved,
  } as unknown as BrainTurn;
  const { length } = models.asked;
  const outcome = await new ModelBrain({ store, keys, outbound: fetch, clock: systemClock, toolsFor: () => Promise.resolve(tools) }).turn(
    turn,
  );
  return { outcome, asked: models.asked.slice(length) };
}

test('[SYS-1] an approved call is made before anything else, and its result is in the prompt', async () => {
  const steps: string[] = [];
  models.script('m', [{ text: 'done' }]);
  const pay = tool('pay', ({ to }) => `paid ${String(to)}`, { readOnly: false });
  const step: BrainTurn['step'] = async (one, take) => (steps.push(one.name), take('key'));
  const { outcome, asked } = await turnOf([pay], step, [{ id: 'c1', name: 'pay', input: { to: 'ann' } }]);
  expect([outcome, steps]).toEqual([{ kind: 'answer', text: 'done' }, ['pay', 'model']]);
  expect(asked[0]!.told[0]!.text).toBe(
    `the task\n[${mark} tool tool pay by nobody]\nA person approved this call, and the hub made it for you: {"to":"ann"}\npaid ann\n[${mark} tool end]`,
  );
});

test.each([
  [new NeedsApproval('pay'), 'This action requires approval. Waiting for approval...'],
  [new ApprovalDenial('pay'), 'Approval denied for pay.'],
])('[IAC-14] a call that is not let through is told as %s', async (refusal, text) => {
  models.script('m', [{ calls: [{ name: 'pay', input: {} }] }, { text: 'I wait.' }]);
  const pay = tool('pay', () => 'never', { readOnly: false });
  const step: BrainTurn['step'] = (one, take) => (one.kind === 'tool' ? Promise.reject(refusal) : take('key'));
  const { outcome, asked } = await turnOf([pay], step);
  expect(outcome).toEqual({ kind: 'answer', text: 'I wait.' });
  expect(asked[1]!.told.at(-1)!.text.split('\n')[1]).toBe(text);
});
