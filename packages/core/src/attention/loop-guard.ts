// The loop guard (C2A-20): does an exchange between agents make no progress? The guard decides by the texts of the turns,
// never by a clock, as slow loops are loops too. Each turn is weighed by what it adds to everything before it; an exchange
// whose last turns add next to nothing, or only repeat the same agent, is stuck. Linear in the length of the exchange.

import { contentOf, type Content, foldedStart } from '../classify/novelty.ts';
import { numerals } from '../classify/words/novelty.ts';

export interface ExchangeTurn {
  by: string;
  text: string;
  /** The ask that the turn belongs to, where one asked the other several times; left out: all turns are of one task. */
  ask?: string;
}

/** Fewer turns than this are no circle yet. */
const fewestTurns = 6;
/** The last turns that are looked at. */
const recentTurns = 5;
/** A number or a name not heard before weighs as much as two words. */
const factWeight = 2;
/** So does a reply to a new fact or a new question, whatever its words: "passes" and "no" are about something else each time. */
const replyWeight = 2;
/** News for each turn of the window, below which nothing moves. Exchanges that move have 1.4 and more, three in four of those that do not less. */
const leastNews = 1.3;
/** So many turns in a row without anything new are enough, whatever came before them. */
const silentTurns = 3;
/** A turn is said again when it shares this much with one by the same agent (Jaccard) and has no new fact. */
const sameness = 0.5;
/** So many of the turns of the window said again are a circle. */
const repeatedTurns = 4;
/** One of the two says the same so often, in no fewer words than these, and nobody brings a fact: an answered question asked again. */
const sameAnswers = 3;
const fewestWords = 2;
/** Where one of them counts and the other says the same each time, or from ask to ask, so many turns are a circle: a short list is not. */
const countedTurns = 10;
/** In one task, where the one figure only grows or only shrinks, by any steps: so many. */
const unevenTurns = 20;

/** Sure that it repeats itself without progress. */
export function isStuck(exchange: readonly ExchangeTurn[]): boolean {
  if (exchange.length < fewestTurns) return false;
  const weighed = weigh(exchange);
  const turns = weighed.slice(-recentTurns);
  const sum = turns.reduce((total, { news }) => total + news, 0);
  return (
    sum / recentTurns < leastNews ||
    turns.slice(-silentTurns).every(({ news }) => news === 0) ||
    turns.filter(({ isRepeated }) => isRepeated).length >= repeatedTurns ||
    isAnsweredAgain(weighed.slice(-2 * sameAnswers)) ||
    isCounting(weighed.slice(-fewestTurns), 'task') ||
    (weighed.length >= countedTurns && isCounting(weighed.slice(-countedTurns), 'asks')) ||
    (weighed.length >= countedTurns && isCountedAlone(weighed.slice(-countedTurns), goesOn)) ||
    (weighed.length >= unevenTurns && isCountedAlone(weighed.slice(-unevenTurns), runsOneWay))
  );
}

function isAnsweredAgain(turns: readonly Weighed[]): boolean {
  if (turns.some(({ newFacts }) => newFacts > 0)) return false;
  const again = turns.filter(({ isRepeated, size }) => isRepeated && size >= fewestWords);
  return again.some(({ by }) => again.filter((one) => one.by === by).length >= sameAnswers);
}

/**
 * "ping 1", "pong 1", "ping 2": each says the same words again, and only a number or a time in them is another. Between separate
 * asks, and where one of them asks, the numbers must also go on by themselves: "month 4?", "12,400 EUR" is another question with
 * another answer.
 */
function isCounting(turns: readonly Weighed[], within: 'task' | 'asks'): boolean {
  const sides = sidesOf(turns);
  const isOneTask = turns.every(({ ask }) => ask === turns[0]!.ask);
  if (within === 'task' && !isOneTask) return false;
  const mayVary = isOneTask && turns.every(({ text }) => !/[?？¿]/u.test(text));
  return sides.length > 1 && sides.every((side) => saysOneThing(side) && isCounted(side[0]!.shape) && (mayVary || goesOn(side)));
}

/** "Retry 7", "Still failing.": the numbers of the one go on by themselves, and the other says the same words to each. */
function isCountedAlone(turns: readonly Weighed[], proceeds: (side: readonly Weighed[]) => boolean): boolean {
  const sides = sidesOf(turns);
  const [counting, ...others] = sides.filter((side) => side[0]!.shape.includes('#'));
  if (sides.length !== 2 || !counting || others.length > 0) return false;
  return sides.every(saysOneThing) && isCounted(counting[0]!.shape) && proceeds(counting);
}

const sidesOf = (turns: readonly Weighed[]): Weighed[][] => [...Map.groupBy(turns, ({ by }) => by).values()];

const saysOneThing = (side: readonly Weighed[]): boolean => side.every(({ shape }) => shape === side[0]!.shape);

/** Each figure stays, grows by the same step, or is a time of day, which goes on whatever happens. */
function goesOn(side: readonly Weighed[]): boolean {
  const said = side.map(({ text }) => figuresOf(text));
  const steps = said.slice(1).map((figures, at) => figures.map((one, place) => one - said[at]![place]!));
  return steps.every((step) => step.length === steps[0]!.length && step.every((one, place) => one === steps[0]![place]));
}

/** "31 seconds elapsed", "62 seconds elapsed", "94 seconds elapsed", all in one task: a list of results goes up and down. */
function runsOneWay(side: readonly Weighed[]): boolean {
  const said = side.map(({ text }) => figuresOf(text));
  const steps = said.slice(1).map(([figure], at) => Math.sign(figure! - said[at]![0]!));
  const isOneTask = side.every(({ ask, text }) => ask === side[0]!.ask && !/[?？¿]/u.test(text));
  return isOneTask && said.every((figures) => figures.length === 1) && steps.every((step) => step !== 0 && step === steps[0]);
}

function figuresOf(text: string): number[] {
  const found = foldedStart(text).matchAll(/\p{N}[\p{N}.,:/-]*|\p{L}+/gu);
  return [...found].flatMap(([one]) => {
    if (/^\p{L}/u.test(one)) return Object.hasOwn(numerals, one) ? [Number(numerals[one])] : [];
    if (/^\d{1,2}:\d{2}(?!\d)/.test(one)) return [];
    return one
      .replaceAll(/[.,]/gu, '')
      .split(/[:/-]/u)
      .filter((part) => part !== '')
      .map(Number);
  });
}

/** Figures alone are bids or results: a different figure says something different. */
const isCounted = (shape: string): boolean => shape.includes('#') && /\p{L}/u.test(shape);

const figure = /\p{N}[\p{N}.,:/-]*/gu;

/** The text with one sign for every number and time. */
const shapeOf = (text: string): string =>
  foldedStart(text)
    .replaceAll(figure, '#')
    .replaceAll(/\p{L}+/gu, (word) => (Object.hasOwn(numerals, word) ? '#' : word))
    .replaceAll(/[^\p{L}#]+/gu, ' ')
    .trim();

interface Weighed {
  by: string;
  text: string;
  ask: string | undefined;
  news: number;
  newFacts: number;
  size: number;
  shape: string;
  isRepeated: boolean;
}

function weigh(exchange: readonly ExchangeTurn[]): Weighed[] {
  const words = new Set<string>();
  const facts = new Set<string>();
  const own = new Map<string, Content[]>();
  /** The author of the last message that wants a reply. */
  let opener: string | undefined;
  return exchange.map(({ by, text, ask }) => {
    const content = contentOf(text, 'idling');
    const newFacts = content.facts.difference(facts).size;
    const brought = content.words.difference(words).size + factWeight * newFacts;
    const news = brought + (opener !== undefined && opener !== by ? replyWeight : 0);
    opener = newFacts > 0 || (brought > 0 && /[?？¿]/u.test(text)) ? by : undefined;
    const before = (own.get(by) ?? []).slice(-recentTurns);
    const isRepeated = newFacts === 0 && before.some((earlier) => likeness(content, earlier) >= sameness);
    own.set(by, [...before, content]);
    for (const word of content.words) words.add(word);
    for (const fact of content.facts) facts.add(fact);
    return { by, text, ask, news, newFacts, size: content.words.size + content.facts.size, isRepeated, shape: shapeOf(text) };
  });
}

/** The share of words that two turns have in common; two empty turns are alike. */
function likeness(one: Content, other: Content): number {
  const [a, b] = [one.words.union(one.facts), other.words.union(other.facts)];
  const all = a.union(b).size;
  return all === 0 ? 1 : a.intersection(b).size / all;
}
