import * as core from '@parley/core/provoke';
import { expect, test } from 'vitest';
import { ProvokeLibrary } from './library.ts';

test('[PRV-4] what a command brings is made ready once, however often the command is decided', () => {
  const library = new ProvokeLibrary(core);
  const body = { id: 'calm', risk_level: 'low' };
  const first = library.document('agent', body);
  expect(first).toMatchObject({ ok: true });
  expect(library.document('agent', body)).toBe(first);
  // Another that says the same, and the same as something else.
  expect(library.document('agent', { ...body })).not.toBe(first);
  expect(library.document('trigger', body)).toMatchObject({ ok: false });
});
