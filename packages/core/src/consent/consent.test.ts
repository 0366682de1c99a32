import { describe, expect, it, test } from 'vitest';
import type { Need } from '@parley/protocol/relay';
import {
  applyAnswers,
  answerNeeds,
  consentFor,
  contentFor,
  type FieldConsent,
  type PersonalValues,
  type SharingScope,
  visibleFor,
} from './consent.ts';
import { defaultSharing, hubSharing, setBaseTier, setOverride, type SharingRules, type SharingTier, tierOf } from './tiers.ts';

const bob = 'agent:bob@relay.example';
const eve = 'agent:eve@relay.example';
const rules: SharingRules = {
  base: { timezone: 'always_share', dietary: 'ask_first', health_info: 'never_share', budget_range: 'ask_first' },
  overrides: { [bob]: { dietary: 'always_share', timezone: 'never_share' } },
};
const scopeFor = (address: string, changes: Partial<SharingScope> = {}): SharingScope => ({
  rules,
  recipient: { address, isVerified: true },
  decisions: {},
  request: null,
  ...changes,
});
const need = (field: string, priority: Need['priority'] = 'required', reason?: string): Need => ({
  field,
  priority,
  ...(reason === undefined ? {} : { reason }),
});
const person: PersonalValues = {
  values: { timezone: 'Europe/London', dietary: 'vegetarian', health_info: 'diabetes', budget_range: 'GBP 30' },
  likely: { transport_mode: ['Driving', 'Walking', 'Train'] },
  approvals: {},
};

describe('[A2C-21] tiers', () => {
  test.each<[string, string, string, SharingTier]>([
    ['the base', 'timezone', eve, 'always_share'],
    ['an override opens', 'dietary', bob, 'always_share'],
    ['an override closes', 'timezone', bob, 'never_share'],
    ['an override is for its peer only', 'dietary', eve, 'ask_first'],
    ['a field in no tier', 'shoe_size', eve, 'ask_first'],
    ['a field in no tier, for a peer with overrides', 'shoe_size', bob, 'ask_first'],
    ['another spelling is the same field', 'Health-Info', eve, 'never_share'],
    ['a name that every object has', 'constructor', eve, 'ask_first'],
    ['a name that every object has, as an address', 'timezone', 'toString', 'always_share'],
  ])('%s', (_, field, address, tier) => {
    expect(tierOf(rules, field, address)).toBe(tier);
  });

  it('[A2C-39] by default only time zone and general area go out by themselves', () => {
    const open = Object.entries(defaultSharing.base).filter(([, tier]) => tier === 'always_share');
    expect(open.map(([field]) => field)).toEqual(['timezone', 'general_location_area']);
  });

  it('[SYS-6] a hub keeps one spelling of each field, with the stricter tier, and the public profile stays public', () => {
    const kept = hubSharing({
      base: { 'Health-Info': 'never_share', health_info: 'always_share', 'profile.about': 'ask_first' },
      overrides: { bob: { 'Tool.Mail': 'never_share' } },
    });
    expect(kept).toEqual({
      base: {
        profile_handle: 'always_share',
        profile_displayname: 'always_share',
        profile_about: 'ask_first',
        health_info: 'never_share',
      },
      overrides: { bob: { tool_mail: 'never_share' } },
    });
    expect(hubSharing().base).toMatchObject(defaultSharing.base);
  });

  it('an override replaces another spelling of itself', () => {
    const changed = setOverride({ base: {}, overrides: { [bob]: { Dietary: 'never_share' } } }, bob, 'dietary', 'ask_first');
    expect(changed.overrides).toEqual({ [bob]: { dietary: 'ask_first' } });
  });

  it('the last tier for everybody counts, however the field is spelled', () => {
    expect(tierOf(setBaseTier(defaultSharing, 'TimeZone', 'never_share'), 'timezone', bob)).toBe('never_share');
    expect(tierOf(setBaseTier(defaultSharing, 'Health-Info', 'ask_first'), 'health_info', bob)).toBe('ask_first');
  });

  it('an override that is taken back leaves what holds for everybody', () => {
    const changed = setOverride(rules, bob, 'Dietary', null);
    expect([changed.overrides[bob], tierOf(changed, 'dietary', bob)]).toEqual([{ timezone: 'never_share' }, 'ask_first']);
  });
});

const request = { names: [bob], states: ['budget_range', 'health_info'] };

describe('[A2C-21] [A2C-24] consent for one field', () => {
  test.each<[string, string, SharingScope, FieldConsent]>([
    ['always_share', 'timezone', scopeFor(eve), 'share'],
    ['ask_first', 'dietary', scopeFor(eve), 'ask'],
    ['never_share', 'health_info', scopeFor(eve), 'decline'],
    ['in no tier', 'shoe_size', scopeFor(eve), 'ask'],
    ['consented in this negotiation', 'dietary', scopeFor(eve, { decisions: { dietary: 'share' } }), 'share'],
    ['consented under another spelling', 'Dietary', scopeFor(eve, { decisions: { dietary: 'share' } }), 'share'],
    ['declined in this negotiation', 'dietary', scopeFor(bob, { decisions: { dietary: 'decline' } }), 'decline'],
    ['never_share outranks an earlier tap', 'health_info', scopeFor(eve, { decisions: { health_info: 'share' } }), 'decline'],
    ['stated in the request that names the peer', 'budget_range', scopeFor(bob, { request }), 'share'],
    ['stated in a request that names somebody else', 'budget_range', scopeFor(eve, { request }), 'ask'],
    ['not stated', 'shoe_size', scopeFor(bob, { request }), 'ask'],
    ['never_share outranks the request', 'health_info', scopeFor(bob, { request }), 'decline'],
    ['unverified: always_share', 'timezone', scopeFor(eve, { recipient: { address: eve, isVerified: false } }), 'share'],
    ['unverified: ask_first', 'dietary', scopeFor(eve, { recipient: { address: eve, isVerified: false } }), 'decline'],
    ['unverified: stated', 'budget_range', scopeFor(bob, { request, recipient: { address: bob, isVerified: false } }), 'decline'],
  ])('%s', (_, field, scope, consent) => {
    expect(consentFor(field, scope)).toBe(consent);
  });

  it('[SYS-6] a brain is given the values that go out anyway, and no others', () => {
    expect(visibleFor(person.values, scopeFor(eve))).toEqual({ timezone: 'Europe/London' });
    expect(visibleFor(person.values, scopeFor(bob, { request }))).toEqual({ dietary: 'vegetarian', budget_range: 'GBP 30' });
    expect(visibleFor(person.values, scopeFor(eve, { decisions: { dietary: 'share' } }))).toEqual({
      timezone: 'Europe/London',
      dietary: 'vegetarian',
    });
  });
});

describe('[A2C-16] the answer to needs', () => {
  test.each<[string, Need, SharingScope, 'share' | 'ask' | 'decline']>([
    ['required, always_share', need('timezone'), scopeFor(eve), 'share'],
    ['nice_to_have, always_share', need('timezone', 'nice_to_have'), scopeFor(eve), 'share'],
    ['required, ask_first', need('dietary'), scopeFor(eve), 'ask'],
    ['helpful, ask_first', need('dietary', 'helpful'), scopeFor(eve), 'ask'],
    ['nice_to_have, ask_first', need('dietary', 'nice_to_have'), scopeFor(eve), 'decline'],
    ['required, never_share', need('health_info'), scopeFor(eve), 'decline'],
    ['required, always_share, no value', need('general_location_area'), scopeFor(eve, { rules: defaultSharing }), 'ask'],
    [
      'nice_to_have, always_share, no value',
      need('general_location_area', 'nice_to_have'),
      scopeFor(eve, { rules: defaultSharing }),
      'decline',
    ],
    ['required, no tier, no value', need('transport_mode'), scopeFor(eve), 'ask'],
    ['nice_to_have, no value', need('transport_mode', 'nice_to_have'), scopeFor(eve), 'decline'],
    ['required, declined before', need('dietary'), scopeFor(eve, { decisions: { dietary: 'decline' } }), 'decline'],
    [
      'required, always_share, no value, unverified',
      need('general_location_area'),
      { ...scopeFor(eve, { rules: defaultSharing }), recipient: { address: eve, isVerified: false } },
      'decline',
    ],
    ['required, unverified', need('dietary'), scopeFor(eve, { recipient: { address: eve, isVerified: false } }), 'decline'],
  ])('%s', (_, one, scope, expected) => {
    const { share, ask, decline } = answerNeeds([one], person, scope);
    expect([Object.keys(share), ask.map(({ field }) => field), decline]).toEqual(
      ['share', 'ask', 'decline'].map((kind) => (kind === expected ? [one.field] : [])),
    );
  });

  it('[A2C-22] one prompt has all fields, with reasons, values and one-tap choices', () => {
    const needs = [need('dietary', 'helpful', 'To pick a restaurant'), need('transport_mode'), need('budget_range', 'nice_to_have')];
    expect(answerNeeds(needs, person, scopeFor(eve)).ask).toEqual([
      { field: 'dietary', priority: 'helpful', reason: 'To pick a restaurant', value: 'vegetarian', choices: [], offersAlways: false },
      { field: 'transport_mode', priority: 'required', reason: null, choices: ['Driving', 'Walking', 'Train'], offersAlways: false },
    ]);
  });

  it('[A2C-24] an urgent prompt takes along what is nice to have, and no prompt is made for it alone', () => {
    const needs = [need('dietary', 'helpful'), need('budget_range', 'nice_to_have')];
    const fields = (ask: { field: string }[]): string[] => ask.map(({ field }) => field);
    expect(fields(answerNeeds(needs, person, scopeFor(eve), true).ask)).toEqual(['dietary', 'budget_range']);
    expect(fields(answerNeeds(needs, person, scopeFor(eve), false).ask)).toEqual(['dietary']);
    expect(fields(answerNeeds([needs[1]!], person, scopeFor(eve), true).ask)).toEqual([]);
  });

  it('[A2C-24] what the person’s own request states goes without a prompt to whom it names', () => {
    const needs = [need('budget_range', 'nice_to_have')];
    expect(answerNeeds(needs, person, scopeFor(bob, { request }))).toEqual({
      share: { budget_range: 'GBP 30' },
      ask: [],
      decline: [],
      isDelayed: false,
    });
  });
});

it('[A2C-21] [A2C-39] a tier for calendar availability counts for the free time that peers ask for', () => {
  const tiers = (field: string, tier: SharingTier) => [
    tierOf(setBaseTier(defaultSharing, field, tier), 'time_windows', eve),
    tierOf(setOverride(defaultSharing, eve, field, tier), 'Time-Windows', eve),
  ];
  expect(tiers('general_availability', 'never_share')).toEqual(['never_share', 'never_share']);
  expect(tiers('general_availability', 'always_share')).toEqual(['always_share', 'always_share']);
  // The name under which it was asked for is the closer one.
  const both = setBaseTier(setBaseTier(defaultSharing, 'general_availability', 'always_share'), 'time_windows', 'never_share');
  expect(tierOf(both, 'time_windows', eve)).toBe('never_share');
});

describe('[A2C-25] declining', () => {
  it('a tier and a tap lead to the same bytes, in the order of the needs', () => {
    const needs = [need('timezone'), need('dietary'), need('shoe_size', 'helpful')];
    const byTier = scopeFor(eve, { rules: setOverride(rules, eve, 'dietary', 'never_share') });
    const contents = [scopeFor(eve), byTier].map((scope) => {
      const { share, ask } = answerNeeds(needs, person, scope);
      const { given } = applyAnswers(ask, [], scope, {});
      return JSON.stringify(contentFor(needs, { ...share, ...given }));
    });
    expect(contents[0]).toBe(contents[1]);
    expect(JSON.parse(contents[0]!)).toEqual({
      context_provided: { timezone: 'Europe/London' },
      context_unavailable: ['dietary', 'shoe_size'].map((field) => ({ field, status: 'declined', hint: null })),
    });
  });

  it('a refusal without a prompt waits like a person, unless nobody would have been asked anyway', () => {
    const delays = (...needs: Need[]): boolean => answerNeeds(needs, person, scopeFor(eve)).isDelayed;
    expect(delays(need('health_info'))).toBe(true);
    expect(delays(need('health_info', 'nice_to_have'))).toBe(false);
    expect(delays(need('timezone'))).toBe(false);
    // The person's answer carries the automatic refusal along.
    expect(delays(need('health_info'), need('dietary'))).toBe(false);
  });

  it('a declined field is declined again without a prompt', () => {
    const scope = scopeFor(eve);
    const { ask } = answerNeeds([need('dietary')], person, scope);
    const { decisions } = applyAnswers(ask, [{ field: 'dietary', answer: 'decline' }], scope, {});
    expect(answerNeeds([need('Dietary')], person, { ...scope, decisions })).toMatchObject({ ask: [], decline: ['Dietary'] });
  });
});

describe('[A2C-22] [A2C-23] answers', () => {
  const items = answerNeeds([need('dietary'), need('transport_mode'), need('budget_range')], person, scopeFor(eve)).ask;

  it('each field is shared, shared always or declined; a field without an answer is declined', () => {
    const answered = applyAnswers(
      items,
      [
        { field: 'dietary', answer: 'always' },
        { field: 'transport_mode', answer: 'share', value: 'Train' },
        { field: 'health_info', answer: 'always', value: 'diabetes' },
      ],
      scopeFor(eve),
      { dietary: 4 },
    );
    expect(answered).toEqual({
      given: { dietary: 'vegetarian', transport_mode: 'Train' },
      decisions: { dietary: 'share', transport_mode: 'share', budget_range: 'decline' },
      approvals: { dietary: 5, transport_mode: 1 },
      rules: { ...rules, overrides: { ...rules.overrides, [eve]: { dietary: 'always_share' } } },
    });
  });

  it('a second device changes nothing', () => {
    const scope = scopeFor(eve);
    const first = applyAnswers(items, [], scope, {});
    const second = applyAnswers(items, [{ field: 'dietary', answer: 'always' }], { ...scope, decisions: first.decisions }, first.approvals);
    expect(second).toEqual({ ...first, given: {} });
  });

  it('approving a field without a value shares nothing', () => {
    expect(applyAnswers(items, [{ field: 'transport_mode', answer: 'always' }], scopeFor(eve), {}).decisions).toMatchObject({
      transport_mode: 'decline',
    });
  });

  it('[A2C-23] [A2C-32] three meetings prompt, the third offers to share always, and the fourth needs no prompt', () => {
    let [scope, approvals]: [SharingScope, PersonalValues['approvals']] = [scopeFor(eve), {}];
    const meetings = [1, 2, 3, 4].map(() => {
      const { ask } = answerNeeds([need('dietary', 'helpful')], { ...person, approvals }, scope);
      const offersAlways = ask.some((item) => item.offersAlways);
      const answered = applyAnswers(ask, [{ field: 'dietary', answer: offersAlways ? 'always' : 'share' }], scope, approvals);
      approvals = answered.approvals;
      // The next meeting is another negotiation: its decisions begin anew.
      scope = scopeFor(eve, { rules: answered.rules });
      return { prompts: ask.length > 0 ? 1 : 0, offersAlways };
    });
    expect(meetings).toEqual([
      { prompts: 1, offersAlways: false },
      { prompts: 1, offersAlways: false },
      { prompts: 1, offersAlways: true },
      { prompts: 0, offersAlways: false },
    ]);
  });
});
