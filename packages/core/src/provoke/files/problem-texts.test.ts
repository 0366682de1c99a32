// What people read when something is wrong: in words that say what to write, all of it at once, nothing twice.

import { plainErrors, problemsOf, Source } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { eventOf, patterns } from '../../../test/provoke/sample.ts';
import { alertEvents } from '../events/alerts.ts';
import { compileDocument, loadFile } from './document.ts';
import { checkEvent } from '../events/event.ts';

const head = 'pap_version: "0.2"\n';
const inFile = (text: string): string[] => {
  const loaded = loadFile(text, patterns);
  return loaded.ok ? [] : loaded.problems.map(({ line, column, field, message }) => `${line}:${column} ${field} ${message}`);
};
const inObject = (part: object): string[] => {
  const compiled = compileDocument({ pap_version: '0.2', ...part }, patterns);
  return compiled.ok ? [] : compiled.problems.map(({ field, message }) => `${field} ${message}`);
};

const sameColumn = 'must begin in the same column as the fields beside it';
const noColon = 'must be a name and a value, with a colon and a blank between; a text of several lines is indented further than its name';
const noTag = 'must be in quotes: what begins with ! is a tag, and tags are not taken';
const comment = '# begins a comment: put what it is part of in quotes';

describe('[PRV-4] a text that is no YAML gets the place and the remedy', () => {
  test.each<[string, string, string]>([
    ['a tab', 'trigger:\n\tid: a', '3:1 must be indented with blanks, not with a tab'],
    ['a tab after blanks', 'trigger:\n  id: a\n  match:\n  \ttype: a.b.c', '5:3 must be indented with blanks, not with a tab'],
    ['too far in', 'trigger:\n  id: a\n   agent: b', `4:4 ${sameColumn}`],
    ['not far enough in', 'trigger:\n    id: a\n  agent: b', `4:3 ${sameColumn}`],
    ['too far in below a dash', 'a:\n  - path: $.data.a\n      operator: gt', `4:7 ${sameColumn}`],
    [
      'not far enough in below a dash',
      'a:\n  - path: $.data.a\n   operator: gt',
      '4:4 must begin with "- " as the list does, or in the same column as the fields above it',
    ],
    ['no blank after a colon', 'trigger:\n  id:a\n  agent: b', '3:3 a blank must follow the colon'],
    ['no blank after the last colon', 'trigger:\n  id: a\n  agent:b', '4:3 a blank must follow the colon'],
    ['no colon', 'trigger\n  id: a', `2:1 ${noColon}`],
    ['a text that is not indented', 'agent:\n  system_prompt: |\n  You are\n  id: a', `4:3 ${noColon}`],
    ['a text beside its sign', 'agent:\n  system_prompt: |You are', '3:19 the text of | or > begins on the line after it'],
    ['a dash where no list is', '- trigger:\n    id: a', '2:1 must not begin with "- ": what it stands beside is no list'],
    ['a quote that is not closed', 'trigger:\n  id: "a\n  agent: b', '3:7 the quote " is not closed'],
    ['another one that is closed by the next', 'trigger:\n  id: "a\n  agent: "b"', '3:7 the quote " is not closed'],
    ['a single one', "# don't\ntrigger:\n  about: it's fine\n  id: 'a", "5:7 the quote ' is not closed"],
    ['a colon in a value', 'trigger:\n  description: disk: full', '3:16 must be in quotes: it has ": " in it'],
    [
      'a colon in a value in brackets',
      'trigger: {description: disk: full}',
      '2:24 a comma is missing, or what has ": " in it must be in quotes',
    ],
    ['a brace that is not closed', 'trigger:\n  match: {type: a.b.c\n  agent: b', '3:10 the { is not closed with a }'],
    ['a bracket that is not closed', 'a: { in: [1, 2 }', '2:10 the [ is not closed with a ]'],
    ['a channel without quotes', 'agent:\n  deliver_to: { conversation: #ops }\n', `3:15 the { is not closed with a }; ${comment}`],
    ['JSON without a comma', '---\n{"a": "x"\n "b": 2}', '4:2 a comma is missing before it'],
    ['JSON without a comma after a number', '---\n{"a": 1\n "b": 2}', '3:7 a comma is missing after it'],
    ['JSON without a colon', '---\n{"a" "b"}', '3:6 a colon or a comma is missing before it'],
    ['JSON with a brace too many', '---\n{"a": 1}}', '3:9 } closes nothing'],
    ['a list without a comma', '---\n{"a": [{} {}]}', '3:11 a comma is missing before it, or all of the value must be in quotes'],
    [
      'a field without a comma',
      'a: { path: "$.a" operator: gt }',
      '2:18 a comma is missing before it, or all of the value must be in quotes',
    ],
    ['a list beside its name', 'filter: - path: $.data.a', '2:9 a list must begin on a line of its own'],
    ['a bracket that is not closed, and a quoted #', 'a: [ "#ops"\nb: 1', '2:4 the [ is not closed with a ]'],
    ['a comma too many', '---\n{ , }', '3:3 a comma stands where a value should'],
    ['words after a quote', 'trigger:\n  id: "a" b', '3:11 stands after the end of the value: put all of it in quotes'],
    ['an address', 'trigger:\n  owner: @anna', '3:10 must be in quotes: a text cannot begin with @'],
    ['a star', 'trigger: {type: *}', '2:17 must be in quotes: * and & have a meaning of their own'],
    ['an alias', 'trigger: &t\n  match: *t', '3:10 must be written out: aliases are not taken'],
    ['a tag', 'trigger:\n  id: !secret a', `3:7 ${noTag}`],
    ['an escape', 'a: "\\d+"', '2:5 \\d means nothing between double quotes: write \\\\d, or use single quotes'],
    ['a list as a name', '---\n[a, b]: 1', '3:1 must be a name: a text, and no list or object'],
  ])('%s', (_, text, expected) => {
    expect(inFile(head + text)).toContain(expected.replace(' ', ' (file) '));
  });

  test('[PRV-4] one place that is no YAML is one problem', () => {
    expect(inFile(`${head}trigger:\n  id: a\n  description: disk: full\n  agent b\n`)).toHaveLength(1);
  });
});

const trigger = { id: 'a', match: { type: 'a.b.c' }, agent: 'b' };
const withFilter = (filter: unknown) => ({ trigger: { ...trigger, match: { type: 'a.b.c', filter: [filter] } } });
const operators = 'must be one of eq, ne, lt, lte, gt, gte, in, not_in, contains, exists, regex';

describe('[PRV-4] values of the wrong form', () => {
  test.each<[string, object, string[]]>([
    ['nothing', { trigger: null }, ['trigger must be an object, but nothing is there']],
    ['a list', { trigger: [] }, ['trigger must be an object, not a list']],
    ['no fields', { schedule: {} }, ['schedule.id is required', 'schedule.cron is required', 'schedule.emit is required']],
    ['a name with a slip', { trigger: { ...trigger, descripton: 'x' } }, ['trigger.descripton is not a field here, but description is']],
    [
      'the beginning of a name, and of two',
      { trigger: { ...trigger, throttle: { max_per_window: 1, window_seconds: 1, max: 1, window: 1 } } },
      [
        'trigger.throttle.max is not a field here, but max_per_window is',
        'trigger.throttle.window is not a field here: there are max_per_window, window_key, window_seconds',
      ],
    ],
    [
      'a name of nothing',
      { trigger: { ...trigger, zzz: 1 } },
      ['trigger.zzz is not a field here: there are id, description, enabled, match, throttle, accept, agent, owner'],
    ],
    [
      'a name that holds its value',
      { trigger: { ...trigger, 'owner:x': null } },
      ['trigger.owner:x is not a field here: a blank must follow the colon'],
    ],
    ['a part with a slip is one problem', { triger: trigger }, ['triger is not a field here, but trigger is']],
    ['a number as text', { trigger: { ...trigger, id: 7 } }, ['trigger.id must be a text, not a number: put it in quotes']],
    ['a switch as text', { trigger: { ...trigger, agent: true } }, ['trigger.agent must be a text, not true: put it in quotes']],
    ['yes', { trigger: { ...trigger, enabled: 'yes' } }, ['trigger.enabled must be true or false, not a text']],
    [
      'true in quotes',
      { trigger: { ...trigger, enabled: 'true' } },
      ['trigger.enabled must be true or false, not a text: true, without quotes'],
    ],
    [
      'numbers out of range',
      { trigger: { ...trigger, throttle: { max_per_window: 1.5, window_seconds: -3 } } },
      ['trigger.throttle.max_per_window must be a whole number', 'trigger.throttle.window_seconds must be at least 1'],
    ],
    [
      'a time that is too long',
      { agent: { id: 'a', risk_level: 'low', limits: { max_runtime_seconds: 7200 } } },
      ['agent.limits.max_runtime_seconds must be at most 3600'],
    ],
    [
      'none of the words that there are',
      { schedule: { id: 'a', cron: '@daily', missed: 'all', emit: { type: 'a.b.c' } } },
      ['schedule.missed must be one of once, skip'],
    ],
    [
      'a channel that became a comment',
      { agent: { id: 'a', risk_level: 'low', deliver_to: { conversation: null } } },
      ['agent.deliver_to.conversation must be a channel or an id, in quotes: # begins a comment'],
    ],
    [
      'one of three forms, wrong further in',
      { agent: { id: 'a', risk_level: 'low', deliver_to: { webhook: 'https://example.com' } } },
      ['agent.deliver_to.webhook must be an object, not a text'],
    ],
  ])('%s', (_, part, expected) => {
    expect(inObject(part)).toEqual(expected);
  });

  test('[PRV-4] a source', () => {
    const parsed = Source.safeParse({ id: 'a', type: ['*'] }, plainErrors);
    expect(parsed.success ? [] : problemsOf(parsed.error, 'source')).toEqual([
      { field: 'source.types', message: 'is required' },
      { field: 'source.type', message: 'is not a field here, but types is' },
    ]);
  });
});

describe('[PRV-5] filters', () => {
  test.each<[string, unknown, string[]]>([
    ['words', 'x', [' must be an object, not a text']],
    ['nothing in it', {}, [`.operator ${operators}`, '.path is required']],
    [
      'no operator that there is',
      { path: '$..a', operator: 'like', value: 1 },
      [`.operator ${operators}`, '.path must name one place: no wildcard, slice, filter or descent'],
    ],
    ['a number in quotes', { path: '$.a', operator: 'gt', value: '3' }, ['.value must be a number, not a text: 3, without quotes']],
    ['no value', { path: '$.a', operator: 'eq' }, ['.value is required']],
    ['a value where a list belongs', { path: '$.a', operator: 'in', value: 'x' }, ['.value must be a list, not a text']],
  ])('%s', (_, filter, expected) => {
    expect(inObject(withFilter(filter))).toEqual(expected.map((one) => `trigger.match.filter.0${one}`));
  });

  test.each<[string, string]>([
    ['data.a', 'must begin with $., as in $.data.used_percent'],
    ['$data.a', 'must go on with . after $, as in $.data.used_percent'],
    ['$.data.', 'has a dot in it with no name after it'],
    ['$.data.a ', 'must not begin or end with a blank'],
    ['$.data[0', 'has a [ in it that is not closed'],
    ["$.data['a]", 'has a quote in it that is not closed'],
    ['$.data[]', 'has nothing between [ and ]'],
    ['$.data[name]', "must have quotes around a name in brackets, as in $.data['name']"],
    ['$.data.0', 'must have brackets around a number, as in $.data.disks[0]'],
    ['$.data[01]', 'has no number between [ and ] that a list could have'],
    ['$.data.my name', "must put a name with characters other than letters, digits and _ in brackets and quotes, as in $.data['my name']"],
    ["$.data['\\x']", 'has an escape that JSON does not know'],
    ['$.data[?(@.a]', 'must name one place: no wildcard, slice, filter or descent'],
  ])('[PRV-5] %s', (path, expected) => {
    expect(inObject(withFilter({ path, operator: 'exists' }))).toEqual([`trigger.match.filter.0.path ${expected}`]);
  });

  test.each<[string, string]>([
    ['(?=a)', 'it cannot look ahead: (?='],
    ['(?<!a)', 'it cannot look behind: (?<!'],
    ['(a)\\1', 'it has no references back to a group: \\1'],
    ['(a', 'a ( is not closed'],
    ['a)', 'a ) closes nothing'],
    ['[a', 'a [ is not closed: [a'],
    ['*.log', '* has nothing before it to repeat; for the sign itself write \\*'],
    ['a**', '** repeats what is repeated already'],
    ['[z-a]', 'there is no such range or class: z-a'],
    ['a{3,2}', '{3,2} must be numbers up to 1000, the smaller first'],
    ['(a{1,100}b){1,100}', '{1,100} repeats what is repeated in it, together more than 1000 times'],
    ['a\\', 'a \\ at the end has nothing after it'],
    ['\\y', 'it has no \\y'],
  ])('[PRV-6] %s', (value, expected) => {
    expect(inObject(withFilter({ path: '$.data.a', operator: 'regex', value }))).toEqual([
      `trigger.match.filter.0.value is not RE2: ${expected}`,
    ]);
  });
});

const five = 'minute hour day month weekday, as in 30 7 * * 1-5';

test.each<[string, string]>([
  ['0 7 * *', `must be five cron fields and not 4: ${five}`],
  ['', `must be five cron fields and not none: ${five}`],
  ['every day at 7 am', `must be five cron fields: ${five}`],
  ['60 25 * * *', 'minute must be 0 to 59, not 60; hour must be 0 to 23, not 25'],
  ['0 7 0 13 *', 'day must be 1 to 31, not 0; month must be 1 to 12 or JAN to DEC, not 13'],
  ['0 7 L * xyz', 'weekday must be 0 to 7 or SUN to SAT, not xyz'],
  ['*/0 7 * * *', 'minute: after / must stand a number, as in */5'],
  ['/5 7 * * *', 'minute: before / must stand * or a range, as in */5'],
  ['*/90 7 * * *', 'minute: the step must be at most 60, not 90'],
  ['0 22-6 * * *', 'hour: 22-6 goes backwards; write 6-22, or 22-23,0-6'],
  ['@noon', 'must be @hourly, @daily, @weekly, @monthly, @yearly, or five cron fields'],
  ['0 0 30 2 *', 'never comes'],
])('[PRV-4] cron %s', (cron, expected) => {
  expect(inObject({ schedule: { id: 'a', cron, emit: { type: 'a.b.c' } } })).toEqual([`schedule.cron ${expected}`]);
});

describe('[PRV-4] all problems are reported at once, and none twice', () => {
  const filter = [
    { path: '$..x', operator: 'gt', value: '3' },
    { path: 7, operator: 'regex', value: '(?=' },
  ];
  test.each<[string, object, string[]]>([
    [
      'a trigger',
      { trigger: { id: 'a b', match: { type: 'a.b.c', filter }, agent: 'b', throttle: { max_per_window: 1, window_key: 'x' } } },
      [
        'id',
        'match.filter.0.value',
        'match.filter.1.path',
        'throttle.window_seconds',
        'match.filter.0.path',
        'match.filter.1.value',
        'throttle.window_key',
      ].map((field) => `trigger.${field}`),
    ],
    [
      'a manifest',
      {
        agent: {
          tools: [{ name: 'x', source: 'mcp://a' }, {}, { name: 'x', source: 'mcp://b' }, {}],
          output: { type: 'structured', schema: { a: 'list' } },
          on_failure: { emit_event: 'pap.a.b' },
        },
      },
      [
        'id',
        'risk_level',
        'tools.1.name',
        'tools.1.source',
        'tools.3.name',
        'tools.3.source',
        'tools.2.name',
        'on_failure.emit_event',
        'output.schema.a',
      ].map((field) => `agent.${field}`),
    ],
    [
      'a schedule',
      { schedule: { cron: '1 2', time_zone: 'Oslo', emit: { type: 'pap.b.c' } } },
      ['id', 'time_zone', 'emit.type', 'cron'].map((field) => `schedule.${field}`),
    ],
    [
      'a monitor that names no type, and the same wrong one twice',
      { absence: { id: 'a', match: { filter }, key: '$.*', emit: {} } },
      [
        'match.type',
        'match.filter.0.value',
        'match.filter.1.path',
        'within_seconds',
        'emit.type',
        'match.filter.0.path',
        'match.filter.1.value',
        'key',
      ].map((field) => `absence.${field}`),
    ],
    [
      'two parts',
      { trigger: {}, schedule: { id: 'a', cron: 'x', emit: { type: 'a.b.c' } } },
      ['trigger.id', 'trigger.match', 'trigger.agent', 'schedule.cron'],
    ],
    [
      'numbers that are none',
      { trigger: { ...trigger, id: '', throttle: { max_per_window: NaN, window_seconds: Infinity } } },
      ['trigger.throttle.max_per_window', 'trigger.throttle.window_seconds', 'trigger.id'],
    ],
    ['another version, and nothing in it', { pap_version: '0.3' }, ['pap_version', '(body)']],
  ])('%s', (_, part, expected) => {
    const compiled = compileDocument({ pap_version: '0.2', ...part }, patterns);
    expect(compiled.ok ? [] : compiled.problems.map(({ field }) => field)).toEqual(expected);
  });

  test('[PRV-4] in a file with several documents', () => {
    const text = `${head}trigger: {id: a, id: b, agent: c}\n---\n${head}trigger: {id: a}\n---\n${head}schedule: {id: x, cron: 1 2, emit: {type: a.b.c}}\n---\n${head}agent: *a\n`;
    expect(inFile(text)).toEqual([
      '2:18 (file) stands here twice: id',
      '11:8 (file) must be written out: aliases are not taken',
      '2:1 trigger.match is required',
      '5:11 trigger.id stands in this file twice: a',
      '5:1 trigger.match is required',
      '5:1 trigger.agent is required',
      `8:19 schedule.cron must be five cron fields and not 2: ${five}`,
    ]);
  });

  test('[PRV-1] in an event, and in alerts', () => {
    const event = checkEvent({ ...eventOf({ price: Infinity }), id: '', time: NaN }, 'outside');
    expect(event.ok ? [] : event.problems.map(({ field }) => field)).toEqual(['time', 'data.price', 'id']);
    const alerts = alertEvents({ alerts: [{ status: 'on', labels: { a: NaN } }] }, 'grafana');
    expect(alerts.ok ? [] : alerts.problems.map(({ field }) => field)).toEqual([
      'alerts.0.labels.a',
      'alerts.0.status',
      'alerts.0.startsAt',
      'alerts.0.fingerprint',
    ]);
  });
});
