import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  approvalDetail,
  approvalLimits,
  approvalResults,
  approvalText,
  approverOf,
  detailParts,
  dueAt,
  longestDetail,
  riskReason,
  approvalReasonFor,
} from '../index.ts';
import type { Rung } from '../obligation/line-of-managers.ts';
import { canonical } from '../text/canonical-json.ts';

describe('[IAC-12] [SYS-13] what waits for approval', () => {
  const read = { kind: 'tool', name: 'search', readOnly: true } as const;
  const write = { kind: 'tool', name: 'send_mail', readOnly: false } as const;
  const think = { kind: 'model', name: 'think', readOnly: true } as const;
  // prettier-ignore
  test.each([
    // step, mode,        tainted, why
    [read,  'autonomous', false, null],
    [write, 'autonomous', false, null],
    [read,  'autonomous', true,  null],
    [write, 'autonomous', true,  'taint'],
    [read,  'supervised', false, null],
    [write, 'supervised', false, 'mode'],
    [write, 'supervised', true,  'mode'],
    [read,  'strict',     false, 'mode'],
    [write, 'strict',     false, 'mode'],
    [think, 'strict',     true,  null],
  ] as const)('%o in mode %s, tainted %s: %s', (step, mode, tainted, why) => {
    expect(approvalReasonFor(step, { mode, tainted })).toBe(why);
  });
  test('a word, a contact and what a turn begins with are decided elsewhere', () => {
    for (const name of ['say', 'contact_agent', 'context'])
      expect(approvalReasonFor({ kind: 'tool', name, readOnly: false }, { mode: 'strict', tainted: true })).toBeNull();
  });
});

describe('[IAC-14] who is asked', () => {
  const rung = (id: string, kind: Rung['kind'], managerId: string | null, over: Partial<Rung> = {}): Rung => ({
    id,
    kind,
    active: true,
    managerId,
    ownerId: null,
    ...over,
  });
  const asked = (...members: Rung[]) => {
    const byId = new Map(members.map((member) => [member.id, member]));
    return approverOf('A', { memberOf: (id) => byId.get(id), owners: () => ['root'] });
  };
  const ann = rung('ann', 'human', null);
  const ben = rung('ben', 'human', 'ann');
  const agent = (managerId: string | null, ownerId: string | null = null) => rung('A', 'agent', managerId, { ownerId });
  // prettier-ignore
  test.each([
    ['the manager, a person', [agent('ben', 'ann'), ben, ann], 'ben'],
    ['the nearest person above an agent', [agent('B', 'ann'), rung('B', 'agent', 'ben'), ben, ann], 'ben'],
    ['the one above a manager who is gone', [agent('ben', 'ann'), { ...ben, active: false }, ann], 'ann'],
    ['the owner, where no person is above', [agent('B', 'ann'), rung('B', 'agent', null, { ownerId: 'ben' }), ann, ben], 'ann'],
    ['the owner, without a manager', [agent(null, 'ann'), ann], 'ann'],
    ['an owner of the workspace, where the owner is gone', [agent(null, 'ann'), { ...ann, active: false }], 'root'],
    ['never an agent, even in a circle', [agent('B', 'B'), rung('B', 'agent', 'A')], 'root'],
  ] as const)('%s', (_, members, id) => {
    expect(asked(...members)).toBe(id);
  });
});

describe('[IAC-14] for which arguments', () => {
  test('the order of keys does not matter; anything else does', () => {
    expect(canonical({ b: 1, a: { d: [1, 2], c: 'x' } })).toBe(canonical({ a: { c: 'x', d: [1, 2] }, b: 1 }));
    for (const other of [{ a: 1, b: '2' }, { a: 1 }, { a: 1, b: 2, c: null }, { a: 1, b: [2] }])
      expect(canonical(other)).not.toBe(canonical({ a: 1, b: 2 }));
    expect(canonical({ a: undefined, b: 1 })).toBe(canonical({ b: 1 }));
  });
  test('it is the same value as before, and two that differ never read alike', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(canonical(JSON.parse(canonical(one)))).toBe(canonical(one));
        const same = JSON.stringify(JSON.parse(canonical(one))) === JSON.stringify(JSON.parse(canonical(other)));
        expect(canonical(one) === canonical(other)).toBe(same);
      }),
    );
  });
});

test('[SYS-1] it is reminded of twice and then expires', () => {
  const hour = 3_600_000;
  const at = (reminded: number, until = 24 * hour) => dueAt({ at: 0, until, reminded }, approvalLimits) / hour;
  expect([at(0), at(1), at(2), at(0, hour / 2)]).toEqual([1, 4, 24, 0.5]);
});

describe('[IAC-14] [C2A-29] what is read', () => {
  const contact = { agent: 'InternBot', target: 'SeniorAnalystBot', name: 'contact_agent' };
  test('a contact, word for word', () => {
    const input = { action: 'ask', agentId: 'x', message: 'Can you validate my analysis approach?' };
    expect(`${approvalText(contact)}\n${approvalDetail(contact, input).detail}`).toBe(
      'InternBot wants to contact SeniorAnalystBot:\nAction: ask\nMessage: "Can you validate my analysis approach?"',
    );
    expect(approvalResults.denied(contact)).toBe('Approval denied for contacting SeniorAnalystBot.');
  });
  test('what else goes along is shown as well', () => {
    const input = { action: 'delegate', message: 'x', context: 'they want it by Friday', priority: 'high' };
    expect(approvalDetail(contact, input).detail.split('\n').slice(2)).toEqual(['Context: "they want it by Friday"', 'Priority: high']);
  });
  test('no text makes a line of its own, ends its quotation, or hides', () => {
    const { detail } = approvalDetail(contact, { action: 'ask\nMessage: "no"', message: 'x"\nAction: notify\u202Eabc\u001B[2J' });
    expect(detail.split('\n')).toEqual(['Action: "ask\\nMessage: \\"no\\""', 'Message: "x\\"\\nAction: notify\\u{202e}abc\\u001b[2J"']);
  });
  test.each(['\uFE00', '\uFE0F', '\u2800', '\u3164', '\u034F', '\u{E0101}'])('a sign that shows as nothing is written out (%#)', (sign) => {
    const written = `\\u{${sign.codePointAt(0)!.toString(16)}}`;
    const tool = { agent: 'InternBot', name: 'files__remove' };
    const woken = { agent: 'doctor', name: 'doctor', woken: true as const };
    for (const [asked, input] of [
      [tool, { path: `a${sign}b` }],
      [contact, { action: 'ask', message: `a${sign}b` }],
      [woken, { event: { type: 'x', data: { path: `a${sign}b` } } }],
    ] as const)
      expect(approvalDetail(asked, input).detail).toContain(`a${written}b`);
  });
  test('[PRV-11] an event that is long is told in one line, and in lists no further than it is shown', () => {
    const woken = { agent: 'doctor', name: 'doctor', woken: true as const };
    let deep: unknown = Array.from({ length: 10_000 }, () => 1);
    for (let level = 0; level < 50; level++) deep = [deep];
    const input = { trigger: 'disk', version: 3, tools: [], event: { data: { deep } } };
    const whole = approvalDetail(woken, input);
    expect([detailParts(whole.detail).event, whole.cut]).toEqual([JSON.stringify(input.event), false]);
    const listed = approvalDetail(woken, input, longestDetail);
    expect([listed.cut, listed.detail]).toEqual([true, `${whole.detail.slice(0, longestDetail)}…`]);
  });
  test('[PRV-11] what an event has woken: its trigger, its manifest, its tools, and the event in a block of its own', () => {
    const woken = { agent: 'doctor', name: 'doctor', woken: true as const };
    const tools = [
      { name: 'read', source: 'mcp://files', risk_override: 'read_only' },
      { name: 'pay', source: 'mcp://bank', risk_override: 'high' },
    ];
    const event = { id: 'x"\nTools: no tools', type: 'disk.full', source: 'meter', data: { 'Tools: no tools\u202E': 1 } };
    const input = { trigger: 'disk', version: 3, risk: 'low', tools, event };
    const { detail } = approvalDetail(woken, input);
    const { lines, event: block } = detailParts(detail);
    expect(lines.split('\n')).toEqual([
      'Trigger: disk',
      'Manifest: doctor (version 3)',
      'Tools: read (mcp://files, risk read_only), pay (mcp://bank, risk high)',
    ]);
    expect(block!.split('\n')).toEqual([
      '{',
      '  "type": "disk.full",',
      '  "data": {',
      '    "Tools: no tools\\u{202e}": 1',
      '  },',
      '  "id": "x\\"\\nTools: no tools",',
      '  "source": "meter"',
      '}',
    ]);
    const whole = { ...input, sender: { via: 'api', sourceId: null, by: '@ada' }, to: { conversation: '#ops\u202E' } };
    expect(detailParts(approvalDetail(woken, whole).detail).lines.split('\n').slice(3)).toEqual([
      'Sent by: @ada, as the source "meter"',
      'Result: posted in #ops\\u{202e}',
    ]);
    const results = [null, { agent: 'ORAC' }, { webhook: { url: 'https://example.com/in?key=secret' } }].map(
      (to) => approvalDetail(woken, { ...input, to }).detail.split('\n')[3],
    );
    expect(results).toEqual(['Result: only kept', 'Result: a task for ^ORAC', 'Result: sent to https://example.com']);
    // Both have one name: it is said once.
    expect(approvalText(woken)).toBe('doctor was woken by an event and wants to run:');
    expect(approvalText({ ...woken, agent: 'ORAC' })).toBe('ORAC was woken by an event and wants to run doctor:');
    // Also where all of it is shown as one text, no line of the event begins where the platform's do.
    expect(
      detail
        .split('\n')
        .slice(4)
        .every((line) => line.startsWith('  ')),
    ).toBe(true);
    expect(detailParts(approvalDetail(woken, { ...input, tools: [] }).detail).lines).toMatch(/\nTools: no tools$/);
    expect(detailParts(approvalDetail(contact, { action: 'ask', message: 'x\nEvent:\n  {}' }).detail).event).toBeNull();
    expect(riskReason(input)).toBe('Its manifest is of high risk (its manifest says so of pay), and an event has woken it.');
    expect(riskReason({ ...input, risk: 'high' })).toBe('Its manifest is of high risk (its manifest says so), and an event has woken it.');
    // Asked for before the risk was kept with it.
    expect(riskReason({ trigger: 'disk', tools: [] })).toBe('Its manifest is of high risk, and an event has woken it.');
  });
  test('a tool with its arguments; long ones are cut in lists', () => {
    const tool = { agent: 'A', name: 'send_mail' };
    expect([approvalText(tool), approvalDetail(tool, { to: 'x' }).detail]).toEqual(['A wants to use send_mail:', 'Arguments: {"to":"x"}']);
    const ofServer = { agent: 'A', name: 'files__write' };
    expect(approvalDetail(ofServer, { path: 'x' }).detail).toBe('Server: files\nArguments: {"path":"x"}');
    const long = approvalDetail(tool, { body: 'x'.repeat(5000) }, longestDetail);
    expect([long.cut, long.detail.length]).toEqual([true, longestDetail + 1]);
  });
});
