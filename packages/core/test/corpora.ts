// The labelled corpora of spec/corpora, and what each classifier says of their cases. The tests and docs/reference/classifiers.md count
// the same way because they count here.

import { readFileSync } from 'node:fs';
import { isFiller } from '../src/classify/filler.ts';
import { isClearQuestion } from '../src/classify/clear-question.ts';
import { asksToLeave } from '../src/classify/leave-request.ts';
import { isStuck } from '../src/attention/loop-guard.ts';
import { addsNothing } from '../src/classify/novelty.ts';
import { isQuestion } from '../src/classify/question.ts';
import { isStatus } from '../src/classify/status.ts';

interface Case {
  id: string;
  lang: string;
  label: string;
  hard: boolean;
  kept: boolean;
  text: string;
  names: string[];
  /** Only `question`: between people, to nobody by name. */
  talk?: boolean;
  earlier: string[];
  exchange: { by: string; text: string }[];
}

interface Classifier {
  corpus: string;
  /** The label that the classifier's `true` stands for, and the other. */
  yes: string;
  no: string;
  says: (one: Case) => boolean;
  /** The cases it is for, if not all of its corpus. */
  about?: (one: Case) => boolean;
}

/** In the cases of one agent its handle is this one. */
const agent = 'ORAC';

/** Handles that `bare` (in leave-request.ts) takes out, for which it would have to know who is there. */
const address = /[@^][\p{L}\p{N}_-]+/gu;

export const classifiers = {
  isFiller: { corpus: 'filler', yes: 'filler', no: 'request', says: (one) => isFiller(one.text.replaceAll(address, ' ')) },
  isStatus: { corpus: 'status', yes: 'status', no: 'other', says: (one) => isStatus(one.text) },
  // Who is named is looked at before the words are (attention.ts, lines 5 and 7).
  isQuestion: {
    corpus: 'question',
    yes: 'direct',
    no: 'not',
    says: (one) => one.names.every((name) => name === agent) && isQuestion(one.text),
    about: (one) => one.talk !== true,
  },
  isClearQuestion: {
    corpus: 'question',
    yes: 'direct',
    no: 'not',
    says: (one) => isClearQuestion(one.text),
    about: (one) => one.talk === true,
  },
  asksToLeave: {
    corpus: 'leave',
    yes: 'leave',
    no: 'not',
    says: (one) => asksToLeave(one.text, /\^([\p{L}\p{N}_-]+)/u.exec(one.text)?.[1] ?? agent),
  },
  addsNothing: { corpus: 'novelty', yes: 'nothing', no: 'adds', says: (one) => addsNothing(one.text, one.earlier) },
  isStuck: { corpus: 'convergence', yes: 'stuck', no: 'progressing', says: (one) => isStuck(one.exchange) },
} as const satisfies Record<string, Classifier>;

export type ClassifierName = keyof typeof classifiers;

/** How many of each label were called what. */
export interface Matrix {
  /** `yes`, called so. */
  hit: number;
  /** `yes`, called `no`. */
  missed: number;
  /** `no`, called `yes`. */
  mistaken: number;
  /** `no`, called so. */
  passed: number;
  /** The cases called wrongly, by their ids. */
  mistakes: string[];
}

export function measure(name: ClassifierName, part: 'kept' | 'tuning'): Matrix {
  const { corpus, yes, says, about }: Classifier = classifiers[name];
  const matrix: Matrix = { hit: 0, missed: 0, mistaken: 0, passed: 0, mistakes: [] };
  for (const one of read(corpus)) {
    if (one.kept !== (part === 'kept') || about?.(one) === false) continue;
    const called = says(one);
    const isYes = one.label === yes;
    if (isYes) matrix[called ? 'hit' : 'missed']++;
    else matrix[called ? 'mistaken' : 'passed']++;
    if (called !== isYes) matrix.mistakes.push(one.id);
  }
  return matrix;
}

/** The share of `yes` that is found (recall), the share of `no` that is taken for it, and the share of what is called `yes` that is. */
export const rates = ({ hit, missed, mistaken, passed }: Matrix): { found: number; mistaken: number; precision: number } => ({
  found: hit / (hit + missed),
  mistaken: mistaken / (mistaken + passed),
  precision: hit / (hit + mistaken),
});

function read(name: string): Case[] {
  const file = readFileSync(new URL(`../../../spec/corpora/${name}.jsonl`, import.meta.url), 'utf8');
  return file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);
}
