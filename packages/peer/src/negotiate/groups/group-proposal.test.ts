import { describe, expect, it } from 'vitest';
import { type GroupMember, type GroupMove, type GroupView, proposeToGroup } from './group-proposal.ts';
import { hour, utc } from '../meetings/local-time.ts';

const now = Date.UTC(2026, 10, 16, 9);
const at = (date: number, from: number, to = from + 3): string =>
  `2026-11-${date}T${String(from).padStart(2, '0')}:00Z/2026-11-${date}T${String(to).padStart(2, '0')}:00Z`;
const member = (agent: string, windows: string[] | null, more: Partial<GroupMember> = {}): GroupMember => ({
  agent,
  received: windows === null ? {} : { time_windows: windows },
  wasAsked: false,
  ...more,
});
const view = (members: GroupMember[], changes: Partial<GroupView> = {}): GroupView => ({
  own: 'agent:ann@relay.example',
  ownWish: null,
  isPicked: false,
  knowsOwnTime: true,
  intent: { summary: 'Game night' },
  event: 'games',
  members,
  quorum: members.length + 1,
  participants: members.length + 1,
  visible: {},
  wishes: [],
  rejected: [],
  searchDays: 14,
  now,
  zone: utc,
  free: ({ from, to }) => [{ from, to }],
  travel: () => [],
  ...changes,
});
const proposed = (move: GroupMove) => {
  if (move.kind !== 'propose') throw new Error(JSON.stringify(move));
  return move.content.proposal;
};

describe('[A2C-30] a group’s time', () => {
  it('is one that suits all, with alternatives', () => {
    const both = [at(18, 18), at(20, 18), at(21, 18)];
    const { details, alternatives, reasoning } = proposed(
      proposeToGroup(view([member('bob', both), member('cem', [...both, at(19, 18)]), member('dan', [at(21, 18), at(20, 18)])])),
    );
    expect(details!['start']).toContain('2026-11-20T18:00');
    expect(alternatives!.map(({ summary }) => summary)).toHaveLength(1);
    expect(reasoning).toContain('All 4 are free');
  });

  it('[A2C-18] is for what was asked: a game night is shorter, and never a dinner', () => {
    const after = [at(20, 20, 22)];
    const { summary, details, alternatives } = proposed(
      proposeToGroup(view([member('bob', after), member('cem', after)], { intent: { summary: 'game night on Friday' } })),
    );
    expect(summary).toBe('Games, Friday 20 November, 20:00–22:00');
    expect(details).toMatchObject({ event_type: 'games' });
    expect(JSON.stringify(alternatives)).not.toMatch(/dinner|drinks/i);
    // Where no evening is left, another kind is named as such.
    const noon = [at(20, 12, 15)];
    const lunch = proposed(proposeToGroup(view([member('bob', noon)], { intent: { summary: 'dinner on Friday' }, event: 'dinner' })));
    expect(lunch.summary).toBe('Lunch instead of dinner, Friday 20 November, 12:00–13:30');
  });

  it('is asked of the one member whose yes would help the most, once', () => {
    const others = [member('bob', [at(21, 18)]), member('cem', [at(21, 18)])];
    const move = proposeToGroup(view([...others, member('dan', [at(20, 18)])]));
    expect(move).toMatchObject({ kind: 'ask', agent: 'dan', need: { field: 'extra_windows', priority: 'required' } });
    expect(move).toMatchObject({ need: { suggested: [expect.stringContaining('2026-11-21T18:00')] } });
    // Nobody learns from the question who is free when.
    expect(JSON.stringify(move)).not.toMatch(/bob|cem/);
    const after = { wasAsked: true };
    expect(proposeToGroup(view([...others, member('dan', [at(20, 18)], after)])).kind).toBe('escalate');
    const agreed = { received: { time_windows: [at(20, 18)], extra_windows: at(21, 18) }, ...after };
    expect(proposed(proposeToGroup(view([...others, member('dan', [], agreed)]))).details!['start']).toContain('2026-11-21');
  });

  it('is one for a quorum where that member cannot, without a word about who is missing', () => {
    const members = [member('bob', [at(21, 18)]), member('cem', [at(21, 18)]), member('dan', [at(20, 18)], { wasAsked: true })];
    const proposal = proposed(proposeToGroup(view(members, { quorum: 3 })));
    expect(proposal.reasoning).toContain('3 of 4 are free');
    expect(JSON.stringify(proposal)).not.toMatch(/bob|cem|dan/);
  });

  it('is none where too few are left: the coordinator’s person sees the binding constraint', () => {
    const members = [
      member('bob', [at(19, 18)], { wasAsked: true }),
      member('cem', [at(20, 18)], { wasAsked: true }),
      member('dan', [at(21, 18)], { wasAsked: true }),
    ];
    const move = proposeToGroup(view(members, { quorum: 3 }));
    expect(move).toMatchObject({ kind: 'escalate', details: { alternatives: expect.any(Array) } });
    expect(JSON.stringify(move)).toMatch(/bob|cem|dan/);
  });

  it('takes usual hours for a member who gives none, and no time that somebody refused', () => {
    const members = [member('bob', [at(20, 18), at(21, 18)]), member('cem', null)];
    const first = proposed(proposeToGroup(view(members))).details!['start'] as string;
    const second = proposed(proposeToGroup(view(members, { rejected: [Date.parse(first)] }))).details!['start'] as string;
    expect(second.slice(0, 10)).not.toBe(first.slice(0, 10));
  });

  it('follows a wish', () => {
    const free = [at(18, 18), at(19, 18), at(20, 18), at(21, 18)];
    const members = [member('bob', free), member('cem', free)];
    const { details } = proposed(proposeToGroup(view(members, { wishes: ['Saturday instead'] })));
    expect(details!['start']).toContain('2026-11-21');
  });

  it('[A2C-22] calls nobody free of whom that is not known', () => {
    const free = [at(20, 18), at(21, 18)];
    const reasons = (members: GroupMember[], changes: Partial<GroupView> = {}): string => {
      const { reasoning, alternatives } = proposed(proposeToGroup(view(members, changes)));
      return [reasoning, ...alternatives!.map(({ reason }) => reason)].join('; ');
    };
    expect(reasons([member('bob', free), member('cem', free)])).toMatch(/^All 3 are free on .*; All 3 are free then too$/);
    const silent = reasons([member('bob', free), member('cem', null)]);
    expect(silent).toMatch(/^It suits the free time that is known/);
    expect(silent).not.toContain('are free');
    expect(reasons([member('bob', free), member('cem', free)], { knowsOwnTime: false })).not.toContain('are free');
  });

  it('[A2C-22] is the one that the coordinator’s person picked, also where somebody is not free, and says so', () => {
    const members = [member('bob', [at(21, 18)]), member('cem', [at(21, 18)]), member('dan', [at(20, 18)], { wasAsked: true })];
    const pick = 'Games, Saturday 21 November, 18:00–21:00';
    const picked = view(members, { ownWish: pick, wishes: [pick], isPicked: true });
    const { details, reasoning, alternatives } = proposed(proposeToGroup(picked));
    expect(details).toMatchObject({ event_type: 'games', start: '2026-11-21T18:00+00:00', end: '2026-11-21T21:00+00:00' });
    expect(reasoning).toBe('Ann chose this time on Saturday 21 November, 18:00–21:00');
    expect(alternatives).toEqual([]);
    // Once somebody has refused it, it is not proposed again.
    const refused = proposeToGroup({ ...picked, rejected: [Date.UTC(2026, 10, 21, 18)] });
    expect(refused.kind).toBe('escalate');
    // A member's wish is no pick, and stays with the coordinator.
    expect(proposeToGroup(view(members, { wishes: [pick] })).kind).toBe('escalate');
    const all = members.map(({ agent }) => member(agent, [at(21, 18)]));
    expect(proposed(proposeToGroup(view(all, { ownWish: pick, wishes: [pick] }))).reasoning).toContain('Ann chose this time');
  });

  it('keeps to the free time of the coordinator', () => {
    const from = Date.UTC(2026, 10, 19, 18);
    const free = () => [{ from, to: from + 3 * hour }];
    const windows = [at(18, 18), at(19, 18), at(20, 18)];
    const { details } = proposed(proposeToGroup(view([member('bob', windows), member('cem', windows)], { free })));
    expect(details!['start']).toContain('2026-11-19T18:00');
  });
});
