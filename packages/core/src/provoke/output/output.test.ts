import type { Manifest } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { patterns } from '../../../test/provoke/sample.ts';
import { compileOutput } from './output.ts';

const outputOf = (schema: object): Manifest['output'] => ({ type: 'structured', schema: schema as never });
function judge(schema: object, text: string) {
  const compiled = compileOutput(outputOf(schema), patterns);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.value(text, patterns);
}
const fields = (judged: ReturnType<typeof judge>) => (judged.ok ? [] : judged.problems.map(({ field }) => field));
const shorthand = { plan: 'array', estimated_saving_nok: 'number', summary: 'string' };
const good = { plan: [], estimated_saving_nok: 12.5, summary: 'x' };

describe('[PRV-13] the shorthand: all required, others allowed', () => {
  test.each<[string, string, string[]]>([
    ['prose', 'Here is your plan: charge the car at night.', ['(output)']],
    ['prose around it', `Here it is:\n${JSON.stringify(good)}`, ['(output)']],
    ['prose around a fence', `Here it is:\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\``, ['(output)']],
    ['nothing', '', ['(output)']],
    ['a list', '[]', ['(output)']],
    ['one missing', '{"plan":[],"summary":"x"}', ['estimated_saving_nok']],
    ['all missing', '{}', ['plan', 'estimated_saving_nok', 'summary']],
    ['null for a text', JSON.stringify({ ...good, summary: null }), ['summary']],
    ['a number in quotes', JSON.stringify({ ...good, estimated_saving_nok: '12.5' }), ['estimated_saving_nok']],
    ['an object for a list', JSON.stringify({ ...good, plan: {} }), ['plan']],
    ['the name that is no name', '{"plan":[],"estimated_saving_nok":1,"summary":"x","__proto__":{}}', ['__proto__']],
    ['40,000 levels', `{"plan":${'['.repeat(40_000)}${']'.repeat(40_000)}}`, [expect.stringMatching(/^plan\.0/) as never]],
    ['more than anybody reads', JSON.stringify({ ...good, summary: 'x'.repeat(100_000) }), ['(output)']],
  ])('refused: %s', (_, text, expected) => {
    expect(fields(judge(shorthand, text))).toEqual(expected);
  });

  test.each<[string, string]>([
    ['as asked', JSON.stringify(good)],
    ['more than asked', JSON.stringify({ ...good, note: 1 })],
    ['in a fence', `\`\`\`json\n${JSON.stringify(good)}\n\`\`\`\n`],
    ['with blanks around', `\n ${JSON.stringify(good)} \n`],
  ])('taken: %s', (_, text) => {
    expect(judge(shorthand, text)).toMatchObject({ ok: true, value: good });
  });

  test('[PRV-13] a field may be called type', () => {
    expect(fields(judge({ type: 'string', count: 'integer' }, '{"type":"x","count":1.5}'))).toEqual(['count']);
  });
});

describe('[PRV-13] output definitions that are refused at load', () => {
  test.each<[string, object, string]>([
    ['nothing asked for', {}, 'schema'],
    ['a type that is none', { plan: 'list', summary: 'string' }, 'schema.plan'],
    ['one that could be either', { type: 'string' }, 'schema'],
    ['a keyword that is none', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', propertees: {} }, 'schema'],
    ['a type of the schema’s that is none', { type: 'objekt', properties: {} }, 'schema'],
    ['a reference to elsewhere', { $ref: 'https://example.com/schema.json' }, 'schema'],
    ['a pattern that is not RE2', { type: 'object', properties: { a: { type: 'string', pattern: '(?=a)' } } }, 'schema'],
  ])('%s', (_, schema, field) => {
    expect(compileOutput(outputOf(schema), patterns)).toMatchObject({ ok: false, problems: [{ field: `agent.output.${field}` }] });
  });
});

describe('[PRV-13] JSON Schema', () => {
  const schema = {
    type: 'object',
    required: ['plan'],
    additionalProperties: false,
    properties: { plan: { type: 'array', minItems: 1, items: { $ref: '#/$defs/step' } } },
    $defs: {
      step: {
        type: 'object',
        required: ['hour'],
        properties: { hour: { type: 'integer', maximum: 23 }, id: { pattern: '^a' }, other: { pattern: '^b' } },
      },
    },
  };

  test.each<[string, unknown, string[]]>([
    ['every miss is named', { plan: [{ hour: 24 }, {}], more: 1 }, ['(output)', 'plan.0.hour', 'plan.1.hour']],
    ['nothing in the list', { plan: [] }, ['plan']],
    ['each pattern is its own', { plan: [{ hour: 1, id: 'b', other: 'a' }] }, ['plan.0.id', 'plan.0.other']],
    ['as asked', { plan: [{ hour: 1, id: 'a', other: 'b' }] }, []],
  ])('%s', (_, value, expected) => {
    expect(fields(judge(schema, JSON.stringify(value))).sort()).toEqual(expected);
  });

  test.each<[string, unknown, boolean]>([
    ['no item twice', [1, 2, '1', { a: 1, b: 2 }], true],
    ['one twice', [1, 2, 1], false],
    [
      'one twice in another order',
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    ['5,000 items', Array.from({ length: 5000 }, (_, i) => ({ i })), true],
  ])('[PRV-13] %s', (_, list, ok) => {
    const unique = { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } };
    expect(judge(unique, JSON.stringify({ list })).ok).toBe(ok);
  });

  // By backtracking it would not come to an end.
  test('[PRV-6] patterns of an output take linear time', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(judge(schema, JSON.stringify({ a: `${'a'.repeat(30_000)}!` })).ok).toBe(false);
  });

  test('[PRV-13] one that refers to a large part a hundred times is not written out', () => {
    const large = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`field${i}`, { type: 'string', maxLength: i }])),
    };
    const many = { type: 'object', $defs: { large }, allOf: Array.from({ length: 100 }, () => ({ $ref: '#/$defs/large' })) };
    expect(judge(many, '{"field3":"four"}').ok).toBe(false);
  });

  const names = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`);
  const named = <T>(count: number, of: T) => Object.fromEntries(names(count).map((name) => [name, of]));
  const times = <T>(count: number, of: T) => Array.from({ length: count }, () => of);
  const list = (items: object) => ({ type: 'object', properties: { a: { type: 'array', items } } });

  // Each of them a few thousand signs, and seconds or gigabytes if they were let.
  test.each<[string, object, unknown]>([
    ['a long list of values, and many of the last', list({ enum: names(5000) }), { a: times(5000, 'k4999') }],
    ['many ways that are of another type', list({ anyOf: [...times(250, { type: 'string' }), true] }), { a: times(5000, 2) }],
    ['many ways, and the last one fits', list({ anyOf: [...times(250, { const: 1 }), true] }), { a: times(5000, 2) }],
    [
      'patterns for names, and many names',
      { type: 'object', $defs: { p: { patternProperties: named(50, true) } }, allOf: times(3, { $ref: '#/$defs/p' }) },
      named(9000, 1),
    ],
    ['patterns for one text', { type: 'object', properties: { a: { allOf: times(50, { pattern: 'a$' }) } } }, { a: 'a'.repeat(25_000) }],
    ['many names, none of them there', list({ type: 'object', properties: named(300, true) }), { a: times(5000, {}) }],
    [
      'no item twice, said two hundred times',
      {
        type: 'object',
        $defs: { u: { type: 'array', uniqueItems: true } },
        properties: { a: { allOf: times(200, { $ref: '#/$defs/u' }) } },
      },
      { a: names(9000) },
    ],
  ])('[PRV-13] an output that would hold up the check gets that as its problem: %s', (_, schema, value) => {
    expect(judge(schema as Record<string, unknown>, JSON.stringify(value))).toEqual({
      ok: false,
      problems: [{ field: '(output)', message: 'takes too many steps to be checked against its schema' }],
    });
  });

  test('[PRV-13] of countless misses only the first is reported, and no others are made', () => {
    const schema = list({ type: 'object', required: names(1000) });
    expect(fields(judge(schema, JSON.stringify({ a: times(5000, {}) })))).toEqual(['a.0.k0']);
    expect(fields(judge(list({ type: 'object', required: names(3) }), '{"a":[{},{}]}'))).toEqual(
      ['a.0.', 'a.1.'].flatMap((at) => ['k0', 'k1', 'k2'].map((name) => `${at}${name}`)),
    );
  });

  test('[PRV-13] a thousand things of ten fields are nothing much', () => {
    const item = Object.fromEntries(names(10).map((name, i) => [name, i]));
    const schema = list({ type: 'object', required: names(10), properties: named(10, { type: 'integer', maximum: 9 }) });
    expect(judge(schema, JSON.stringify({ a: times(1000, item) })).ok).toBe(true);
  });

  test.each<[string, object]>([
    ['more schemas than anybody reads', { type: 'object', properties: named(300, { type: 'string' }) }],
    ['patterns without number', { type: 'object', propertyNames: { allOf: names(51).map((pattern) => ({ pattern })) } }],
    ['names by patterns without number', { type: 'object', patternProperties: named(51, true) }],
    [
      'references to everywhere',
      { type: 'object', $defs: named(101, { type: 'string' }), allOf: names(101).map((name) => ({ $ref: `#/$defs/${name}` })) },
    ],
  ])('[PRV-13] refused at load: %s', (_, schema) => {
    expect(compileOutput(outputOf(schema as Record<string, unknown>), patterns)).toMatchObject({
      ok: false,
      problems: [{ field: 'agent.output.schema' }],
    });
  });

  test('[PRV-13] names of fields are no keywords, whatever they are', () => {
    const odd = { type: 'object', properties: { properties: { type: 'string' }, $ref: { type: 'string' }, enum: { type: 'integer' } } };
    expect(judge(odd, '{"properties":"a","$ref":"b","enum":1}').ok).toBe(true);
    expect(fields(judge(odd, '{"properties":1,"$ref":2,"enum":"c"}')).sort()).toEqual(['$ref', 'enum', 'properties']);
  });

  test.each<[string, object]>([
    ['by itself', { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } }],
    ['by another', { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } } }],
  ])('[PRV-13] a schema that is only a reference to itself, %s, judges nothing, and is refused for that', (_, schema) => {
    const message = 'cannot be checked against its schema, which refers to itself without end';
    for (const text of ['{}', '{"a":1}', '[1]'])
      expect(judge(schema, text)).toEqual({ ok: false, problems: [{ field: '(output)', message }] });
  });

  test.each<[string, string, string]>([
    ['ends as well', 'x', 'takes too many steps to be checked against its schema'],
    ['ends sooner where it is known before', 'no', 'is required'],
  ])('[PRV-13] one that refers to itself in two ways %s', (_, name, message) => {
    const way = { properties: { x: { $ref: '#/$defs/a' } }, required: [name] };
    const twice = { $ref: '#/$defs/a', $defs: { a: { type: 'object', anyOf: [way, way] } } };
    let value: object = {};
    for (let i = 0; i < 60; i++) value = { x: value };
    const judged = judge(twice, JSON.stringify(value));
    expect(judged.ok ? [] : judged.problems.map((problem) => problem.message)).toContain(message);
  });
});

test('[PRV-6] [PRV-13] the patterns of a schema are answered from outside; a slow one is reported as too slow', () => {
  const compiled = compileOutput(outputOf({ type: 'object', properties: { a: { type: 'string', pattern: 'x' } } }), patterns);
  const told = (holds: boolean | null) => compiled.ok && compiled.value('{"a":"b"}', { ...patterns, holds: () => holds });
  expect(told(true)).toMatchObject({ ok: true });
  expect(told(false)).toMatchObject({ ok: false, problems: [{ field: 'a' }] });
  expect(told(null)).toEqual({
    ok: false,
    problems: [{ field: '(output)', message: 'takes too long to be matched against the patterns of its schema' }],
  });
});

test('[PRV-13] text is whatever it said', () => {
  const compiled = compileOutput({ type: 'text' }, patterns);
  expect(compiled.ok && compiled.value('Hello.', patterns)).toEqual({ ok: true, value: 'Hello.' });
});

test.each<[object, string]>([
  [
    { type: 'object', properties: { a: { type: 'strin' } } },
    'properties.a.type must be one of string, number, integer, boolean, array, object, null',
  ],
  [{ type: 'object', properties: { a: 'string' } }, 'properties.a must be a schema: an object, true or false'],
  [{ type: 'object', required: 'a' }, 'required must be array'],
  [{ type: 'object', foo: 1 }, 'it has no keyword "foo"'],
])('[PRV-13] the problem of %j is reported once, at its place, in plain words', (schema, words) => {
  expect(compileOutput(outputOf(schema), patterns)).toEqual({
    ok: false,
    problems: [{ field: 'agent.output.schema', message: `is not a JSON Schema: ${words}` }],
  });
});
