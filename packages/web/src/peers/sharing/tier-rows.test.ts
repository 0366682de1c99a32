import type { PeerProfile } from '@parley/protocol';
import { expect, test } from 'vitest';
import { tierRows } from './tier-rows.ts';

const bob = 'agent:bob@hub';
const profile: PeerProfile = {
  fields: { shoe_size: 42, dietary: 'vegan' },
  tiers: { health_info: 'never_share', timezone: 'always_share', Dietary: 'ask_first' },
  overrides: { [bob]: { dietary: 'always_share', nickname: 'never_share' } },
  calendars: [],
};

test('[A2C-21] every field with a rule or a value has one row, the five defaults and what meals ask for first', () => {
  expect(tierRows(profile, [bob, 'agent:eve@hub'])).toEqual([
    { field: 'time_windows', base: 'ask_first', overrides: [undefined, undefined] },
    { field: 'general_location_area', base: 'always_share', overrides: [undefined, undefined] },
    { field: 'Dietary', base: 'ask_first', overrides: ['always_share', undefined] },
    { field: 'budget_range', base: 'ask_first', overrides: [undefined, undefined] },
    { field: 'specific_location', base: 'ask_first', overrides: [undefined, undefined] },
    { field: 'cuisine_preference', base: 'ask_first', overrides: [undefined, undefined] },
    { field: 'transport_mode', base: 'ask_first', overrides: [undefined, undefined] },
    { field: 'location_preference', base: 'ask_first', overrides: [undefined, undefined] },
    { field: 'health_info', base: 'never_share', overrides: [undefined, undefined] },
    { field: 'nickname', base: 'ask_first', overrides: ['never_share', undefined] },
    { field: 'shoe_size', base: 'ask_first', overrides: [undefined, undefined] },
    { field: 'timezone', base: 'always_share', overrides: [undefined, undefined] },
  ]);
});

test('[A2C-21] availability that is set under its general name is the free time that peers ask for', () => {
  const [first, ...others] = tierRows({ ...profile, tiers: { general_availability: 'never_share' } }, []);
  expect(first).toEqual({ field: 'time_windows', base: 'never_share', overrides: [] });
  expect(others.some(({ field }) => field === 'general_availability')).toBe(false);
});
