// How much may be spent (SYS-10), in turns and in money: reserved before a turn, settled after it. Money is counted in
// millionths, so that sums are exact.

export interface Amount {
  turns: number;
  micros: number;
}
export const nothing: Amount = { turns: 0, micros: 0 };

/** `pair`: what one agent causes another, in one chain and in a day (C2A-20). */
export type Purse = 'chain' | 'agent_day' | 'pair_chain' | 'pair_day' | 'workspace_day';
export type Budgets = Readonly<Record<Purse, Amount>>;

const dollars = (amount: number): number => amount * 1_000_000;
export const defaultBudgets: Budgets = {
  chain: { turns: 100, micros: dollars(5) },
  agent_day: { turns: 1000, micros: dollars(50) },
  pair_chain: { turns: 60, micros: dollars(3) },
  pair_day: { turns: 200, micros: dollars(10) },
  workspace_day: { turns: 10_000, micros: dollars(200) },
};

/** What is spent or reserved already, of each purse that this turn draws on. */
export type Drawn = Partial<Readonly<Record<Purse, Amount>>>;

/** All purses must have enough, or nothing is taken from any. */
export function reserve(drawn: Drawn, wanted: Amount, limits: Budgets = defaultBudgets): { ok: true } | { ok: false; purse: Purse } {
  for (const purse of Object.keys(drawn) as Purse[]) {
    const { turns, micros } = drawn[purse]!;
    if (turns + wanted.turns > limits[purse].turns || micros + wanted.micros > limits[purse].micros) return { ok: false, purse };
  }
  return { ok: true };
}

export const add = (a: Amount, b: Amount): Amount => ({ turns: a.turns + b.turns, micros: a.micros + b.micros });
/** After the turn: what it really cost instead of what was set aside. Never below nothing. */
export const settle = (drawn: Amount, reserved: Amount, spent: Amount): Amount => ({
  turns: Math.max(0, drawn.turns - reserved.turns + spent.turns),
  micros: Math.max(0, drawn.micros - reserved.micros + spent.micros),
});

/** Days are counted in UTC, so that a purse is the same one wherever it is asked for. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);
export const hourOf = (now: number): string => new Date(now).toISOString().slice(0, 13);
