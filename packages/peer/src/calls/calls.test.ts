import { PeerCallError } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { answerCall, refusals } from './calls.ts';
import type { CallContext } from './context.ts';

/** Nothing of a host may be reached before a refusal. */
const untouched = new Proxy({} as CallContext, {
  get: (_, name) => {
    throw new Error(`The host was asked for ${String(name)}.`);
  },
});

describe.each(['own', 'hub'] as const)('[A2C-40] a peer of the host %s', (host) => {
  const refused = Object.entries(refusals[host]).filter(([, rule]) => typeof rule === 'string');

  test.each(refused)('refuses %s with the reason, before it does anything', async (call, reason) => {
    const refusal = answerCall(host, untouched, call as 'sample', null);
    await expect(refusal).rejects.toThrow(PeerCallError);
    await expect(refusal).rejects.toMatchObject({ code: 'refused', message: reason });
  });

  test('has no call of another name', async () => {
    await expect(answerCall(host, untouched, 'constructor' as 'people', null)).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('[A2C-40] a person’s own peer keeps no text of a calendar: they link its file', async () => {
  const calendar = { kind: 'file', name: 'work', ics: '' } as const;
  await expect(answerCall('own', untouched, 'addCalendar', calendar)).rejects.toMatchObject({ code: 'refused' });
});
