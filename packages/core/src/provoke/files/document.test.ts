import { ProvokeDocument } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { patterns } from '../../../test/provoke/sample.ts';
import { z } from 'zod';
import { seedManifest, seedTrigger } from '../../../test/provoke/seed.ts';
import { compileDocument, loadFile } from './document.ts';
import { checkEvent } from '../events/event.ts';

const problems = (text: string) => {
  const loaded = loadFile(text, patterns);
  return loaded.ok ? [] : loaded.problems.map(({ line, column, field }) => `${line}:${column} ${field}`);
};

describe('[PRV-4] an invalid file is refused with line, column and field', () => {
  test.each<[string, string, string[]]>([
    ['not an object', 'hello', ['1:1 (body)']],
    ['no version', 'trigger: {id: a, match: {type: a.b.c}, agent: b}', ['1:1 pap_version']],
    ['a version without quotes', 'pap_version: 0.2\ntrigger: {id: a, match: {type: a.b.c}, agent: b}', ['1:1 pap_version']],
    ['neither a trigger nor an agent', 'pap_version: "0.2"', ['1:1 (body)']],
    [
      'a field nobody knows',
      'pap_version: "0.2"\ntrigger:\n  id: a\n  match: {type: a.b.c}\n  agent: b\n  filters: []',
      ['6:3 trigger.filters'],
    ],
    [
      'a missing field: where it should be',
      'pap_version: "0.2"\ntrigger:\n  id: a\n  match:\n    filter: []\n  agent: b',
      ['4:3 trigger.match.type'],
    ],
    [
      'all of it at once',
      'pap_version: "0.2"\ntrigger:\n  id: ""\n  enabled: "yes"\n  match:\n    type: two.segments\n    filter:\n      - path: $.data.a\n        operator: like\n        value: 1\n      - {path: $.data.b, operator: gt, value: "3"}\n  throttle: {max_per_window: 0, window_seconds: -1}',
      [
        '3:3 trigger.id',
        '4:3 trigger.enabled',
        '6:5 trigger.match.type',
        '9:9 trigger.match.filter.0.operator',
        '11:40 trigger.match.filter.1.value',
        '12:14 trigger.throttle.max_per_window',
        '12:33 trigger.throttle.window_seconds',
        '2:1 trigger.agent',
      ],
    ],
    [
      'a path to many places',
      'pap_version: "0.2"\ntrigger:\n  id: a\n  agent: b\n  match:\n    type: a.b.c\n    filter:\n      - path: $..price\n        operator: exists\n',
      ['8:9 trigger.match.filter.0.path'],
    ],
    [
      'a pattern that is not RE2',
      'pap_version: "0.2"\ntrigger:\n  id: a\n  agent: b\n  match:\n    type: a.b.c\n    filter:\n      - path: $.data.a\n        operator: regex\n        value: (?=a)\n',
      ['10:9 trigger.match.filter.0.value'],
    ],
    [
      'a window without a place',
      'pap_version: "0.2"\ntrigger: {id: a, agent: b, match: {type: a.b.c}, throttle: {max_per_window: 1, window_seconds: 60, window_key: "$.data.*"}}',
      ['2:100 trigger.throttle.window_key'],
    ],
    ['a risk that is none', 'pap_version: "0.2"\nagent:\n  id: a\n  risk_level: extreme', ['4:3 agent.risk_level']],
    [
      'a tool from elsewhere',
      'pap_version: "0.2"\nagent:\n  id: a\n  risk_level: low\n  tools:\n    - name: x\n      source: https://example.com',
      ['7:7 agent.tools.0.source'],
    ],
    [
      'a tool twice',
      'pap_version: "0.2"\nagent:\n  id: a\n  risk_level: low\n  tools:\n    - {name: x, source: mcp://a}\n    - {name: x, source: mcp://b}',
      ['7:8 agent.tools.1.name'],
    ],
    [
      'an event of the system’s that is none',
      'pap_version: "0.2"\nagent:\n  id: a\n  risk_level: low\n  on_complete:\n    emit_event: pap.agent.invocation.approved',
      ['6:5 agent.on_complete.emit_event'],
    ],
    [
      'two places for the result',
      'pap_version: "0.2"\nagent:\n  id: a\n  risk_level: low\n  deliver_to: {conversation: "#ops", agent: ORAC}',
      ['5:3 agent.deliver_to'],
    ],
    [
      'a type in the schema that is none',
      'pap_version: "0.2"\nagent:\n  id: a\n  risk_level: low\n  output:\n    type: structured\n    schema:\n      plan: list\n      cost: number',
      ['8:7 agent.output.schema.plan'],
    ],
    [
      'the second of two documents',
      'pap_version: "0.2"\ntrigger: {id: a, match: {type: a.b.c}, agent: b}\n---\npap_version: "0.2"\ntrigger: {id: b, match: {type: a.b}, agent: b}',
      ['5:26 trigger.match.type'],
    ],
    [
      'the same id twice',
      'pap_version: "0.2"\ntrigger: {id: a, match: {type: a.b.c}, agent: b}\n---\npap_version: "0.2"\ntrigger: {id: a, match: {type: a.b.d}, agent: b}',
      ['5:11 trigger.id'],
    ],
    ['a cron that never comes', 'pap_version: "0.2"\nschedule: {id: a, cron: 0 0 30 2 *, emit: {type: a.b.c}}', ['2:19 schedule.cron']],
    [
      'a monitor that hears itself',
      'pap_version: "0.2"\nabsence: {id: a, match: {type: a.b.c}, within_seconds: 60, emit: {type: a.b.c}}',
      ['2:67 absence.emit.type'],
    ],
    [
      'a star in what is waited for: types are compared exactly',
      'pap_version: "0.2"\ntrigger:\n  id: a\n  agent: b\n  match:\n    type: host.fan.*',
      ['6:5 trigger.match.type'],
    ],
    [
      'a star in what a monitor waits for, and in what it says',
      'pap_version: "0.2"\nabsence:\n  id: a\n  match: {type: host.*.beat}\n  within_seconds: 60\n  emit: {type: host.fan.*}',
      ['4:11 absence.match.type', '6:10 absence.emit.type'],
    ],
    [
      'a star in what a schedule says',
      'pap_version: "0.2"\nschedule: {id: a, cron: 0 7 * * *, emit: {type: day.report.*}}',
      ['2:43 schedule.emit.type'],
    ],
    [
      'JSON has lines, too',
      '{\n  "pap_version": "0.2",\n  "trigger": {"id": "a", "match": {"type": "a.b"}, "agent": "b"}\n}',
      ['3:36 trigger.match.type'],
    ],
  ])('%s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  test('[PRV-4] [PRV-5] a trigger on a star gets the places where a star may stand', () => {
    const loaded = loadFile('pap_version: "0.2"\ntrigger: {id: a, agent: b, match: {type: host.fan.*}}', patterns);
    const message = 'must be one exact type; * is for what a source may send';
    expect(loaded).toMatchObject({ ok: false, problems: [{ field: 'trigger.match.type', message }] });
  });

  test('[PRV-4] nothing of a file with a problem in it is in force', () => {
    const loaded = loadFile(`${seedTrigger}\n---\npap_version: "0.2"\ntrigger: {id: b}\n`, patterns);
    expect(loaded.ok).toBe(false);
    expect(loaded).not.toHaveProperty('triggers');
  });
});

describe('[PRV-4] files', () => {
  test('[PRV-4] the trigger and the manifest as published', () => {
    const loaded = loadFile(`${seedTrigger}\n---\n${seedManifest}`, patterns);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    expect(loaded.triggers.map(({ trigger }) => trigger)).toMatchObject([
      {
        id: 'energy-price-optimizer',
        enabled: true,
        throttle: { max_per_window: 1, window_key: '$.data.region', window_seconds: 3600 },
        agent: 'energy-consumption-planner-v1',
      },
    ]);
    expect(loaded.manifests.map(({ manifest }) => manifest)).toMatchObject([
      {
        id: 'energy-consumption-planner-v1',
        model: { provider: 'anthropic', model_id: 'claude-sonnet-4-20250514', max_tokens: 1000, temperature: 0.3 },
        limits: { max_runtime_seconds: 30, max_tool_calls: 10 },
        on_failure: { retry: { max_attempts: 2, backoff_seconds: 5 } },
      },
    ]);
    expect(loaded.manifests[0]!.risk).toEqual({ level: 'medium', audit: true, approval: false });
  });

  test('[PRV-4] from a threshold to a channel in nine lines', () => {
    const text = `pap_version: "0.2"
trigger:
  id: slow-api
  match: { type: server.latency.sla_breached }
  agent: first-look
agent:
  id: first-look
  risk_level: read_only
  deliver_to: { conversation: "#ops" }
`;
    expect(loadFile(text, patterns)).toMatchObject({
      ok: true,
      triggers: [{ trigger: { id: 'slow-api' } }],
      manifests: [{ manifest: { model: { provider: 'builtin' } } }],
    });
  });

  test('[PRV-4] an object over the API is held to the same', () => {
    expect(
      compileDocument(
        {
          pap_version: '0.2',
          trigger: { id: 'a', agent: 'b', match: { type: 'a.b.c', filter: [{ path: '$..a', operator: 'exists' }] } },
        },
        patterns,
      ),
    ).toMatchObject({
      ok: false,
      problems: [{ field: 'trigger.match.filter.0.path' }],
    });
    expect(compileDocument(JSON.parse('{"pap_version":"0.2","trigger":{"__proto__":{"id":"x"}}}'), patterns)).toMatchObject({
      ok: false,
      problems: [{ field: 'trigger.__proto__' }, { field: 'trigger.id' }, { field: 'trigger.match' }, { field: 'trigger.agent' }],
    });
  });

  test('[PRV-4] an editor gets a JSON Schema of it', () => {
    const schema = z.toJSONSchema(ProvokeDocument, { io: 'input' });
    expect(Object.keys(schema.properties ?? {})).toEqual(['pap_version', 'trigger', 'agent', 'schedule', 'absence']);
    expect(JSON.stringify(schema)).toContain('"not_in"');
  });
});

const said = (text: string) => {
  const loaded = loadFile(text, patterns);
  return loaded.ok ? [] : loaded.problems.map(({ line, column, field, message }) => `${line}:${column} ${field} ${message}`);
};
const withFilter = (filter: string) => `pap_version: "0.2"
trigger:
  id: a
  match:
    type: a.b.c
    filter:
      - ${filter}
      - { path: $.data.b, operator: gt, value: 3 }
  agent: b
`;

test('[PRV-4] a path that needs quotes gives one error, with the remedy', () => {
  const hint = 'put the path in quotes';
  expect(said(withFilter('{ path: $.data.disks[0].used, operator: gt, value: 90 }'))).toEqual([`7:29 (file) ${hint}: [ begins a list`]);
  expect(said(withFilter('{ path: "$.data.disks[0].used", operator: gt, value: 90 }'))).toEqual([]);
  const other = said(withFilter('{ path: "$.data.used, operator: gt, value: 90 }'));
  expect(other).toHaveLength(1);
  expect(other[0]).not.toContain(hint);
});

test('[PRV-4] problems say what to write instead', () => {
  const absence = (within: string) =>
    `pap_version: "0.2"\nabsence: { id: a, match: { type: a.b.c }, within_seconds: ${within}, emit: { type: a.b.d } }\n`;
  const seconds = 'absence.within_seconds must be a number of seconds';
  expect(said('pap_version: "0.2"\nagent: { id: a }\n')).toEqual(['2:1 agent.risk_level is required']);
  expect(said('pap_version: "0.2"\nagent: { id: a, risk_level: huge }\n')).toEqual([
    '2:17 agent.risk_level must be one of read_only, low, medium, high',
  ]);
  expect(said(absence('4h'))).toEqual([`2:43 ${seconds}: 14400 for 4h`]);
  expect(said(absence('soon'))).toEqual([`2:43 ${seconds}`]);
  expect(said(withFilter('{ path: data.used, operator: gt, value: 90 }'))).toEqual([
    '7:11 trigger.match.filter.0.path must begin with $., as in $.data.used_percent',
  ]);
  const event = checkEvent({ pap_version: '0.2', id: 'a', type: 'a.b.c', source: 's', time: '2026-03-11T06:00:00Z', data: [1] }, 'outside');
  expect(event).toMatchObject({ problems: [{ field: 'data', message: 'must be an object, as in {"used_percent": 97}' }] });
});
