// What asking models has cost until now: what was settled, and of a call that is still under way what can be known of it.

import { addTokens, costOf, noTokens, type Price, type Tokens } from '@parley/core';
import type { StepOutcome, Spent } from '../brain.ts';

interface Call {
  price: Price;
  soFar: () => Tokens;
}

const add = (a: Spent, b: Spent): Spent => ({ micros: a.micros + b.micros, tokens: addTokens(a.tokens, b.tokens) });
const priced = (tokens: Tokens, price: Price): Spent => ({ micros: costOf(tokens, price), tokens });

export class Meter {
  private settled: Spent = { micros: 0, tokens: noTokens };
  private call: Call | undefined;

  begin(price: Price, soFar: () => Tokens): void {
    this.call = { price, soFar };
  }

  end(tokens: Tokens): void {
    if (this.call) this.settled = add(this.settled, priced(tokens, this.call.price));
    this.call = undefined;
  }

  get spent(): Spent {
    return this.settled;
  }

  soFar(): StepOutcome {
    if (!this.call) return { ...this.settled, estimated: false };
    return { ...add(this.settled, priced(this.call.soFar(), this.call.price)), estimated: true };
  }
}
