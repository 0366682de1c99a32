import type { PapEvent } from '@parley/protocol';
import { expect, test } from 'vitest';
import { plainWords } from './plain-event-text.ts';

const text = { type: 'text' } as const;
const sender = { via: 'webhook', sourceId: 'prom', by: null } as const;
const event = (type: string, data: Record<string, unknown>): PapEvent => ({
  pap_version: '0.2',
  id: 'e',
  type,
  source: 'http://prom:9093',
  time: '2026-03-11T06:00:00Z',
  data,
});

const alert = {
  status: 'firing',
  labels: { alertname: 'HighLatency', severity: 'critical', instance: 'orders-db:9100', job: 'api', team: 'shop' },
  annotations: { summary: 'p99 is over 2 s', description: 'It has been\nfor ten minutes.', runbook_url: 'http://wiki/high' },
  startsAt: '2026-03-11T05:58:00Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prom:9090/graph?g0.expr=x',
  fingerprint: 'abc',
  receiver: 'parley',
  groupKey: '{}:{alertname="HighLatency"}',
  groupLabels: { alertname: 'HighLatency' },
  externalURL: 'http://prom:9093',
};

test('[PRV-18] an alert begins with the facts that a person on call needs first', () => {
  expect(plainWords(event('alertmanager.alert.firing', alert), sender, text).split('\n')).toEqual([
    'HighLatency is firing, severity critical',
    'p99 is over 2 s',
    'It has been for ten minutes.',
    'on orders-db:9100, since 11 March 2026, 05:58 UTC',
    'other labels: job=api, team=shop',
  ]);
  const over = { ...alert, labels: { alertname: 'HighLatency' }, annotations: {}, endsAt: '2026-03-11T06:10:00Z' };
  expect(plainWords(event('grafana.alert.resolved', over), sender, text).split('\n')).toEqual([
    'HighLatency is resolved',
    'from 11 March 2026, 05:58 UTC until 11 March 2026, 06:10 UTC',
  ]);
});

test('[PRV-18] of an alert what is not there is not told, and no label makes a line of its own', () => {
  const said = (labels: object, more: object = {}) =>
    plainWords(event('alertmanager.alert.resolved', { labels, ...more }), sender, text).split('\n');
  expect(said({ alertname: 'X', severity: '' })).toEqual(['X is resolved']);
  expect(said({ alertname: 'X', instance: 'db' }, { startsAt: 'noon' })).toEqual(['X is resolved', 'on db, from noon']);
  expect(said({ alertname: 'X', 'a\nY is firing': 'b\u0085c' })).toEqual([
    'X is resolved',
    String.raw`other labels: a Y is firing=b\u{85}c`,
  ]);
  expect(said({ alertname: ' ' }).at(-1)).toMatch(/^Event: alertmanager\.alert\.resolved from /);
});

test('a field that holds a line break does not look like two', () => {
  expect(
    plainWords(event('a.b.c', { note: 'ok\nparley: yes', 'x\ny': 1, z: ['a\u2028b: c'], w: '\u2028' }), sender, text)
      .split('\n')
      .slice(0, -1),
  ).toEqual([String.raw`note: "ok\nparley: yes"`, String.raw`"x\ny": 1`, String.raw`z: ["a\u{2028}b: c"]`, String.raw`w: "\u{2028}"`]);
});

test('other events are listed field by field; a structured output passes their values on', () => {
  const other = event('alertmanager.alert.firing', { price: 4, note: 'x' });
  expect(plainWords(other, sender, text)).toBe(
    'price: 4\nnote: x\nEvent: alertmanager.alert.firing from the source prom, which calls itself "http://prom:9093", 11 March 2026, 06:00 UTC',
  );
  expect(plainWords(event('energy.price.crossed', alert), sender, text)).toMatch(
    /^status: firing\n[^]*\nEvent: energy\.price\.crossed from .*$/,
  );
  const structured = { type: 'structured', schema: { status: 'string' } } as const;
  expect(JSON.parse(plainWords(event('alertmanager.alert.firing', alert), sender, structured))).toEqual(alert);
});

test.each([
  [{ via: 'api', sourceId: null, by: '@ada' }, 'ada, as the source "http://prom:9093"'],
  [{ via: 'api', sourceId: 'http://prom:9093', by: null }, 'the source http://prom:9093'],
  [{ via: 'schedule', sourceId: null, by: null }, 'the platform itself (schedule)'],
] as const)('[C2A-32] [PRV-2] the sender is named, and the claimed source is quoted: %j', (from, named) => {
  expect(plainWords(event('a.b.c', {}), from, text)).toBe(`Event: a.b.c from ${named}, 11 March 2026, 06:00 UTC`);
});

test('[PRV-18] an event that sums itself up begins with that; each ends with what it is', () => {
  const data = { summary: ' Disk of\nweb-1 is full. ', free: '0 %', threshold: '5 %' };
  expect(plainWords(event('shop.disk.full', data), sender, text)).toBe(
    'Disk of web-1 is full.\nfree: 0 %\nthreshold: 5 %\nEvent: shop.disk.full from the source prom, which calls itself "http://prom:9093", 11 March 2026, 06:00 UTC',
  );
});
