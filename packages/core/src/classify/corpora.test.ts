import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Case {
  id: string;
  lang: string;
  label: string;
  hard: boolean;
  kept: boolean;
  text?: string;
  names?: string[];
  talk?: boolean;
  earlier?: string[];
  exchange?: { by: string; text: string }[];
}

const corpora = [
  { name: 'filler', labels: ['filler', 'request'], least: 500 },
  { name: 'status', labels: ['status', 'other'], least: 500 },
  { name: 'question', labels: ['direct', 'not'], least: 500 },
  { name: 'leave', labels: ['leave', 'not'], least: 500 },
  { name: 'convergence', labels: ['stuck', 'progressing'], least: 500 },
  { name: 'novelty', labels: ['adds', 'nothing'], least: 500 },
];

const read = (name: string): Case[] =>
  readFileSync(new URL(`../../../../spec/corpora/${name}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);

/** What makes a case itself: two that differ only in what came before them are two cases. */
const whole = (one: Case): string => JSON.stringify([one.earlier, one.text, one.exchange]).toLowerCase();

/** The first four words without handles, so that swapping the name makes no new case. Japanese has no spaces: its first eight letters. */
function opening(one: Case): string {
  const words = (one.text ?? one.exchange?.[0]?.text ?? '').toLowerCase().replace(/[\^@][\p{L}\p{N}_-]+/gu, ' ');
  if (one.lang === 'ja') return words.replace(/[^\p{L}\p{N}]/gu, '').slice(0, 8);
  return (words.match(/[\p{L}\p{N}'’]+/gu) ?? []).slice(0, 4).join(' ');
}

const share = (cases: Case[], has: (one: Case) => boolean): number => cases.filter(has).length / cases.length;

describe.each(corpora)('the $name corpus', ({ name, labels, least }) => {
  const cases = read(name);

  test('is large enough, in six languages, half of it hard', () => {
    expect(cases.length).toBeGreaterThanOrEqual(least);
    expect(new Set(cases.map((one) => one.lang)).size).toBeGreaterThanOrEqual(6);
    expect(share(cases, (one) => one.hard)).toBeGreaterThanOrEqual(0.45);
    expect(share(cases, (one) => one.hard)).toBeLessThanOrEqual(0.6);
  });

  test('has well-formed cases, each with its own id', () => {
    expect(new Set(cases.map((one) => one.id)).size).toBe(cases.length);
    for (const one of cases) {
      expect(one.id).toMatch(/^[a-z]{3}-\d{4}$/);
      expect(labels).toContain(one.label);
      expect([typeof one.hard, typeof one.kept, typeof one.lang]).toEqual(['boolean', 'boolean', 'string']);
      const texts = [one.text, ...(one.earlier ?? []), ...(one.exchange ?? []).map((turn) => turn.text)];
      for (const text of texts.filter((text) => text !== undefined)) expect(text.trim(), one.id).not.toBe('');
      expect(texts.length, one.id).toBeGreaterThan(0);
      if (name === 'leave') expect(one.text, one.id).toMatch(/\^(ORAC|STEF|BOT)\b/);
      if (name === 'question') expect(Array.isArray(one.names), one.id).toBe(true);
      if (name === 'novelty') expect(one.earlier?.length, one.id).toBeGreaterThan(0);
      if (one.exchange) expect(one.exchange.length >= 6 && one.exchange.length <= 20, one.id).toBe(true);
    }
  });

  test('keeps three in ten aside, half of the talk, of each label, easy and hard, and of each language', () => {
    const talk = cases.filter((one) => one.talk === true);
    const rest = cases.filter((one) => one.talk !== true);
    expect(share(rest, (one) => one.kept)).toBeGreaterThanOrEqual(0.28);
    expect(share(rest, (one) => one.kept)).toBeLessThanOrEqual(0.32);
    if (talk.length > 0) expect(share(talk, (one) => one.kept)).toBeCloseTo(0.5, 2);
    const kept = cases.filter((one) => one.kept);
    for (const label of labels) {
      for (const hard of [true, false]) expect(kept.some((one) => one.label === label && one.hard === hard)).toBe(true);
      for (const lang of new Set(cases.map((one) => one.lang))) {
        expect(
          kept.filter((one) => one.label === label && one.lang === lang),
          `${label} ${lang}`,
        ).not.toEqual([]);
      }
    }
  });

  test('says nothing twice', () => {
    const ids = Map.groupBy(cases, whole);
    expect([...ids.values()].filter((same) => same.length > 1).map((same) => same.map((one) => one.id))).toEqual([]);
    const openings = Map.groupBy(cases, opening);
    openings.delete(''); // emoji and punctuation only
    expect([...openings].filter(([, same]) => same.length > 3).map(([words, same]) => [words, same.map((one) => one.id)])).toEqual([]);
  });
});
