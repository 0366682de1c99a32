import { describe, expect, test } from 'vitest';
import { callBounds, type CallRecord, callText, keptOf, recordOf, shownCalls } from './call-record.ts';

const step = (more: Partial<Parameters<typeof recordOf>[0]> = {}): Parameters<typeof recordOf>[0] => ({
  kind: 'tool',
  name: 'write',
  input: '{"text":"report"}',
  result: '{"text":"written"}',
  done: true,
  unknown: false,
  forgotten: false,
  ...more,
});
const never = (): boolean => false;

describe('calls of earlier turns', () => {
  test('[IAC-6] a call is kept with its arguments and result; what a model said and what was read are not', () => {
    expect(keptOf(step())).toEqual({ input: '{"text":"report"}', result: '{"text":"written"}' });
    expect(keptOf(step({ name: 'read_thread' }))).toEqual({ input: '{"text":"report"}', result: null });
    for (const one of [step({ kind: 'model', name: 'model' }), step({ name: 'say' }), step({ name: 'context' })])
      expect(keptOf(one)).toEqual({ input: 'null', result: null });
  });

  test('[IAC-6] long arguments and results are cut, and stay JSON', () => {
    const long = 'x'.repeat(50_000);
    const kept = keptOf(step({ input: JSON.stringify({ long }), result: JSON.stringify({ text: long, isError: true }) }));
    expect(kept.input.length + kept.result!.length).toBeLessThan(2 * callBounds.each + 100);
    expect(recordOf(step(kept), never).input!.startsWith('{"long":"xxx')).toBe(true);
    expect(recordOf(step(kept), never).result!.startsWith('xxx')).toBe(true);
    // Cut once, it is not cut again.
    expect(keptOf(step(kept))).toEqual(kept);
  });

  test('[IAC-6] the newest calls are shown, within bounds', () => {
    const calls = Array.from({ length: 100 }, (_, n): CallRecord => ({
      name: 'write',
      input: `${n}`.padEnd(1000),
      result: null,
      outcome: 'done',
    }));
    const { calls: shown, left } = shownCalls(calls);
    expect([shown.length, left, shown.at(-1)!.input!.trim()]).toEqual([15, 85, '99']);
    expect(shownCalls(calls.map((one) => ({ ...one, input: '' }))).calls).toHaveLength(callBounds.calls);
  });

  test('[IAC-6] [SYS-12] a call that may have happened says so, and shows no result', () => {
    for (const one of [step({ done: false, result: null }), step({ unknown: true })])
      expect(callText(recordOf(one, never))).toBe(
        'Earlier in this task you called write. It may have happened: find out before you repeat it.\nArguments: {"text":"report"}',
      );
  });

  test('[IAC-6] [SYS-6] what was forgotten or is private is named and not repeated', () => {
    expect(recordOf(step({ forgotten: true }), never)).toEqual({ name: 'write', input: null, result: null, outcome: 'forgotten' });
    expect(recordOf(step({ input: 'null', result: null }), never).outcome).toBe('forgotten');
    expect(recordOf(step(), (text) => text.includes('report'))).toEqual({ name: 'write', input: null, result: null, outcome: 'private' });
    expect(recordOf(step(), (text) => text.includes('written')).outcome).toBe('private');
  });
});
