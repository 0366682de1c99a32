import { defaultSharing, setBaseTier, setOverride } from '@parley/core/consent';
import { expect, test } from 'vitest';
import { tierRows } from './sharing.ts';

test('[A2C-21] each field has a row: what everybody gets, and who is an exception', () => {
  const rules = setOverride(defaultSharing, 'agent:bob@localhost', 'dietary', 'never_share');
  const rows = tierRows({ ...rules, known: ['Phone', 'timezone'] });
  expect(rows).toContainEqual(['dietary', 'ask', 'agent:bob@localhost never']);
  expect(rows).toContainEqual(['timezone', 'always', '']);
  expect(rows).toContainEqual(['phone', 'ask', '']);
  expect(rows.map(([field]) => field)).not.toContain('general_availability');
  const always = setBaseTier(rules, 'general_availability', 'always_share');
  expect(tierRows({ ...always, known: [] })).toContainEqual(['time_windows', 'always', '']);
  expect(new Set(rows.map(([field]) => field)).size).toBe(rows.length);
});
