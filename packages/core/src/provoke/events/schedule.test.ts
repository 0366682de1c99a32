import { Absence, Schedule } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { eventOf, on, patterns } from '../../../test/provoke/sample.ts';
import { absenceEvent, compileAbsence, sharedKey, silentAt } from './absence.ts';
import { alertEvents } from './alerts.ts';
import { checkEvent } from './event.ts';
import { compileSchedule, dueSlots, scheduleEvent } from './schedule.ts';

const utc = (text: string): number => Date.parse(`${text}Z`);
const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString().slice(0, 16));

function scheduled(cron: string, more: object = {}) {
  const compiled = compileSchedule(Schedule.parse({ id: 'daily', cron, emit: { type: 'day.report.due' }, ...more }));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.value;
}

describe('schedules', () => {
  test.each<[string, string, string, string]>([
    ['no fields', '', 'UTC', 'cron'],
    ['words', 'every day', 'UTC', 'cron'],
    ['four fields', '0 7 * *', 'UTC', 'cron'],
    ['six: seconds are not taken', '*/5 * * * * *', 'UTC', 'cron'],
    ['a minute that is none', '60 * * * *', 'UTC', 'cron'],
    ['a day that never comes', '0 0 30 2 *', 'UTC', 'cron'],
    ['whatever it is now', '? * * * *', 'UTC', 'cron'],
    ['a time instead', '2030-01-01T00:00:00', 'UTC', 'cron'],
    ['a zone that is none', '0 7 * * *', 'Europe/Atlantis', 'time_zone'],
  ])('[PRV-4] refused: %s', (_, cron, time_zone, field) => {
    expect(compileSchedule(Schedule.parse({ id: 'a', cron, time_zone, emit: { type: 'a.b.c' } }))).toMatchObject({
      ok: false,
      problems: [{ field: `schedule.${field}` }],
    });
  });

  test('[PRV-2] refused: what only the system says', () => {
    const emit = { type: 'pap.agent.invocation.failed' };
    const problems = [{ field: 'schedule.emit.type', message: 'must not begin with pap.: only the system says that' }];
    expect(compileSchedule(Schedule.parse({ id: 'a', cron: '0 7 * * *', emit }))).toEqual({ ok: false, problems });
  });

  test.each<[string, string, string, string, string[]]>([
    ['every morning', '0 7 * * *', 'UTC', '2026-03-11T07:00', ['2026-03-12T07:00', '2026-03-13T07:00']],
    ['on working days', '30 8 * * 1-5', 'UTC', '2026-03-13T08:30', ['2026-03-16T08:30', '2026-03-17T08:30']],
    ['by its name', '@daily', 'UTC', '2026-03-11T00:00', ['2026-03-12T00:00']],
    [
      'in Oslo, over the night that loses an hour',
      '0 7 * * *',
      'Europe/Oslo',
      '2026-03-28T00:00',
      ['2026-03-28T06:00', '2026-03-29T05:00', '2026-03-30T05:00'],
    ],
    ['in the hour that is lost', '30 2 * * *', 'Europe/Oslo', '2026-03-28T12:00', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['in the hour that comes twice: once', '30 2 * * *', 'Europe/Oslo', '2026-10-24T12:00', ['2026-10-25T00:30', '2026-10-26T01:30']],
    [
      'every quarter of an hour, through it',
      '*/15 * * * *',
      'Europe/Oslo',
      '2026-10-25T00:45',
      ['2026-10-25T01:00', '2026-10-25T01:15', '2026-10-25T01:30'],
    ],
    ['half an hour off', '0 9 * * *', 'Asia/Kolkata', '2026-03-11T00:00', ['2026-03-11T03:30']],
    ['only in leap years', '0 0 29 2 *', 'UTC', '2026-03-11T00:00', ['2028-02-29T00:00']],
  ])('next: %s', (_, cron, time_zone, from, expected) => {
    const { next } = scheduled(cron, { time_zone });
    const found: (string | null)[] = [];
    for (let at: number | null = utc(from); at !== null && found.length < expected.length;) {
      at = next(at);
      found.push(iso(at));
    }
    expect(found).toEqual(expected);
  });

  test.each<[string, string, string, string, string | null, string]>([
    ['not due yet', 'once', '2026-03-11T07:00', '2026-03-12T06:59', null, '2026-03-12T07:00'],
    ['due', 'once', '2026-03-11T07:00', '2026-03-12T07:00', '2026-03-12T07:00', '2026-03-13T07:00'],
    ['a week missed, made up for once', 'once', '2026-03-11T07:00', '2026-03-18T09:00', '2026-03-18T07:00', '2026-03-19T07:00'],
    ['a week missed, and left', 'skip', '2026-03-11T07:00', '2026-03-18T09:00', null, '2026-03-19T07:00'],
    ['the clock was a year ahead', 'once', '2027-03-11T07:00', '2026-03-11T09:00', null, '2026-03-12T07:00'],
    ['it was set back over a slot', 'once', '2026-03-12T07:00', '2026-03-12T06:55', null, '2026-03-12T07:00'],
    ['a little late is not missed', 'skip', '2026-03-11T07:00', '2026-03-12T07:01', '2026-03-12T07:00', '2026-03-13T07:00'],
  ])('missed runs: %s', (_, missed, last, at, fire, again) => {
    const found = dueSlots(scheduled('0 7 * * *', { missed }), utc(last), utc(at));
    expect([iso(found.fire), iso(found.again)]).toEqual([fire, again]);
  });

  test('the last slot before a time is the one that coming from before arrives at, also when clocks change', () => {
    for (const time_zone of ['UTC', 'Europe/Oslo', 'America/New_York', 'Australia/Lord_Howe'])
      for (const cron of ['30 2 * * *', '*/15 * * * *', '0 */3 * * *', '5 1,2,3 * * *'])
        for (const from of ['2026-03-07T20:00', '2026-03-28T20:00', '2026-10-24T20:00', '2026-10-31T20:00', '2026-04-04T10:00']) {
          const { next, latest } = scheduled(cron, { time_zone });
          let slot = next(utc(from))!;
          for (let i = 0; i < 10; i++) {
            const following = next(slot)!;
            expect([latest(slot), latest(following - 1)]).toEqual([slot, slot]);
            slot = following;
          }
        }
  });

  test('a year of minutes is made up for once, and soon', () => {
    const found = dueSlots(scheduled('* * * * *'), utc('2025-03-11T07:00'), utc('2026-03-11T07:00'));
    expect([iso(found.fire), iso(found.again)]).toEqual(['2026-03-11T07:00', '2026-03-11T07:01']);
  });

  test('[PRV-8] a slot is one event, however many hubs see it due', () => {
    const { schedule } = scheduled('0 7 * * *');
    const event = scheduleEvent(schedule, utc('2026-03-12T07:00'));
    expect(event).toEqual(scheduleEvent(schedule, utc('2026-03-12T07:00')));
    expect(event.id).not.toBe(scheduleEvent(schedule, utc('2026-03-13T07:00')).id);
    expect(checkEvent(event, 'system')).toMatchObject({ ok: true });
  });
});

describe('absence monitors', () => {
  const made = (more: object = {}) =>
    Absence.parse({
      id: 'quiet',
      match: { type: 'ticket.reply.sent', filter: [on('$.data.priority', 'eq', 'high')] },
      key: '$.data.ticket',
      within_seconds: 14_400,
      emit: { type: 'ticket.response.overdue' },
      ...more,
    });
  const compiled = compileAbsence(made(), patterns);
  const { absence, hears, keyOf } = compiled.ok ? compiled.value : ({} as never);

  test.each<[string, object, string]>([
    ['a key in many places', { key: '$.data.*' }, 'key'],
    ['a filter in many places', { match: { type: 'a.b.c', filter: [on('$..a', 'exists')] } }, 'match.filter.0.path'],
    ['what it waits for is what it says', { emit: { type: 'ticket.reply.sent' } }, 'emit.type'],
    ['what only the system says', { emit: { type: 'pap.agent.invocation.completed' } }, 'emit.type'],
  ])('[PRV-4] refused: %s', (_, more, field) => {
    expect(compileAbsence(made(more), patterns)).toMatchObject({ ok: false, problems: [{ field: `absence.${field}` }] });
  });

  test('[PRV-6] one whose regex took too long takes no note, and says so', () => {
    const slow = compileAbsence(
      made({ match: { type: 'a.b.c', filter: [on('$.data.text', 'regex', 'x'), on('$.data.a', 'eq', 1)] } }),
      patterns,
    );
    if (!slow.ok) throw new Error('refused');
    const heard = (data: object, holds: boolean | null) =>
      slow.value.hears(eventOf({ ticket: 1, text: 'x', ...data }, { type: 'a.b.c' }), undefined, { ...patterns, holds: () => holds });
    expect([heard({ a: 1 }, null), heard({ a: 2 }, null), heard({ a: 1 }, true), heard({ a: 1 }, false)]).toEqual([
      'too_slow',
      null,
      'heard',
      null,
    ]);
  });

  test('a monitor counts events of its type whose filters hold, for each key', () => {
    const reply = (data: object, type = 'ticket.reply.sent') => eventOf(data as never, { type });
    const high = { priority: 'high', ticket: 1 };
    expect([reply(high), reply({ ...high, priority: 'low' }), reply(high, 'a.b.c')].map((one) => hears(one, undefined, patterns))).toEqual([
      'heard',
      null,
      null,
    ]);
    // Whose silence it would end is not said: nobody's, and it begins none either.
    const keyless = [
      reply({ priority: 'high' }),
      reply({ ...high, ticket: null }),
      reply({ priority: 'low' }),
      reply(high),
      reply({}, 'a.b.c'),
    ];
    expect(keyless.map((one) => hears(one, undefined, patterns))).toEqual(['lacks_key', 'lacks_key', null, 'heard', null]);
    expect([reply({ ticket: 'tck-1' }), reply({ ticket: 1 })].map(keyOf)).toEqual(['"tck-1"', '1']);
    const { key: _, ...together } = made();
    const all = compileAbsence(together, patterns);
    expect(all.ok && [all.value.hears(reply({ priority: 'high' }), undefined, patterns), all.value.keyOf(reply(high))]).toEqual([
      'heard',
      sharedKey,
    ]);
  });

  test('[PRV-8] each silence makes one event, after the last event of its key', () => {
    const heard = utc('2026-03-11T11:00');
    expect(iso(silentAt(absence, heard))).toBe('2026-03-11T15:00');
    const sha256 = (text: string) => `hash of ${text.length}`;
    const event = absenceEvent(absence, '"tck-1"', heard, sha256);
    expect(event).toMatchObject({
      type: 'ticket.response.overdue',
      time: '2026-03-11T15:00:00.000Z',
      data: { key: 'tck-1', missing: 'ticket.reply.sent', since: '2026-03-11T11:00:00.000Z' },
    });
    const others = [
      absenceEvent(absence, '"tck-2"', heard, sha256),
      absenceEvent(absence, '"tck-1"', heard + 1, sha256),
      absenceEvent(absence, sharedKey, heard, sha256),
    ];
    expect(new Set([event, ...others].map(({ id }) => id)).size).toBe(4);
    for (const one of [event, ...others]) expect(checkEvent(one, 'system').ok).toBe(true);
  });

  test.each(['x'.repeat(5000), 'a\u0085b', 'a\u007Fb', 'a\uD800b', 'a\0b', 'a\nb', '\u{1F600}'.repeat(40)])(
    '[PRV-1] the event of a silence is one whatever its key is: %j',
    (key) => {
      const made = compileAbsence(
        Absence.parse({ id: 'a', match: { type: 'a.b.c' }, within_seconds: 1, emit: { type: 'a.b.d' } }),
        patterns,
      );
      if (!made.ok) throw new Error(JSON.stringify(made.problems));
      const event = absenceEvent(made.value.absence, JSON.stringify(key), 0, (text) => `hash of ${text.length}`);
      expect(checkEvent(event, 'system')).toMatchObject({ ok: true, event: { data: { key } } });
    },
  );
});

describe('[PRV-18] alerts', () => {
  const firing = {
    status: 'firing',
    labels: { alertname: 'HighLatency', severity: 'page' },
    annotations: { summary: 'slow' },
    startsAt: '2026-03-11T06:00:00.123456789Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prom/graph',
    fingerprint: 'c0ffee',
  };
  const webhook = (...alerts: object[]) => ({
    version: '4',
    groupKey: '{}:{alertname="HighLatency"}',
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'parley',
    groupLabels: { alertname: 'HighLatency' },
    commonLabels: {},
    commonAnnotations: {},
    externalURL: 'http://am:9093',
    alerts,
  });

  test.each<[string, unknown, string[]]>([
    ['nothing', null, ['(body)']],
    ['no alerts', { version: '4' }, ['alerts']],
    [
      'wrong in several places',
      webhook({ ...firing, status: 'on', startsAt: 'now' }, { ...firing, fingerprint: '', labels: { a: 1 } }),
      ['alerts.0.status', 'alerts.0.startsAt', 'alerts.1.labels.a', 'alerts.1.fingerprint'],
    ],
    [
      'the name that is no name',
      JSON.parse('{"alerts":[{"labels":{"__proto__":"x"}}]}'),
      ['labels.__proto__', 'status', 'startsAt', 'fingerprint'].map((field) => `alerts.0.${field}`),
    ],
  ])('refused: %s', (_, body, expected) => {
    const read = alertEvents(body, 'alertmanager');
    expect(read.ok ? [] : read.problems.map(({ field }) => field)).toEqual(expected);
  });

  test('[PRV-18] each alert is an event', () => {
    const read = alertEvents(webhook(firing, { ...firing, status: 'resolved', endsAt: '2026-03-11T07:00:00Z' }), 'alertmanager');
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    for (const event of read.events) expect(checkEvent(event, 'webhook')).toMatchObject({ ok: true, warnings: [] });
    expect(read.events).toMatchObject([
      {
        type: 'alertmanager.alert.firing',
        source: 'http://am:9093',
        time: '2026-03-11T06:00:00.123456789Z',
        data: { labels: { severity: 'page' }, generatorURL: 'http://prom/graph', receiver: 'parley' },
      },
      { type: 'alertmanager.alert.resolved', time: '2026-03-11T07:00:00Z' },
    ]);
  });

  test('[PRV-18] the same crossing is one event, however often it is sent; another is another', () => {
    const ids = [
      firing,
      { ...firing, annotations: { summary: 'still slow' } },
      { ...firing, startsAt: '2026-03-11T08:00:00Z' },
      { ...firing, status: 'resolved' },
      { ...firing, fingerprint: 'beef' },
    ].map((alert) => {
      const read = alertEvents(webhook(alert), 'alertmanager');
      return read.ok && read.events[0]!.id;
    });
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(4);
  });

  test('[PRV-18] Grafana’s say more, and all of it is there', () => {
    const alert = {
      ...firing,
      values: { B: 22.1, C: 1 },
      valueString: '[ var=B value=22.1 ]',
      dashboardURL: 'http://grafana/d/1',
      silenceURL: 'http://grafana/s',
    };
    const read = alertEvents(
      { ...webhook(alert), version: '1', orgId: 1, state: 'alerting', title: '[FIRING:1]', truncatedAlerts: 3 },
      'grafana',
    );
    expect(read).toMatchObject({
      ok: true,
      events: [{ type: 'grafana.alert.firing', data: { values: { B: 22.1 }, dashboardURL: 'http://grafana/d/1' } }],
      warnings: [{ field: 'truncatedAlerts' }],
    });
  });
});
