// How much may be spent (SYS-10), in turns and in money: reserved before a turn, settled after it. Money is counted in
// millionths, so that sums are exact.

export interface Amount {
  turns: number;
  micros: number;
}
export const noAmount: Amount = { turns: 0, micros: 0 };

/**
 * `chain`: in one that an event began, what each owner's triggers do is counted for itself, so that nobody's spend what is
 * another's (SYS-9). `pair`: what one agent causes another, in one chain and in a day (C2A-20). `member_day`: what one
 * plain member and those they invited cause in a day, so that something is left for everybody else. `agent_member_day`: the
 * same of one agent, unless it is theirs.
 */
export type BudgetKind = 'chain' | 'agent_day' | 'agent_member_day' | 'pair_chain' | 'pair_day' | 'member_day' | 'workspace_day';
export type Budgets = Readonly<Record<BudgetKind, Amount>>;

const dollars = (amount: number): number => amount * 1_000_000;
const workspaceDay: Amount = { turns: 10_000, micros: dollars(200) };
const agentDay: Amount = { turns: 1000, micros: dollars(50) };
/** Of a day of the workspace or of an agent, what one member may have. */
export const memberDay = ({ turns, micros }: Amount): Amount => ({ turns: Math.ceil(turns / 2), micros: Math.ceil(micros / 2) });
export const defaultBudgets: Budgets = {
  chain: { turns: 100, micros: dollars(5) },
  agent_day: agentDay,
  agent_member_day: memberDay(agentDay),
  pair_chain: { turns: 60, micros: dollars(3) },
  pair_day: { turns: 200, micros: dollars(10) },
  member_day: memberDay(workspaceDay),
  workspace_day: workspaceDay,
};

/** What is spent or reserved already, of each purse that this turn draws on. */
export type BudgetBalance = Partial<Readonly<Record<BudgetKind, Amount>>>;

/** All purses must have enough, or nothing is taken from any. */
export function reserve(
  drawn: BudgetBalance,
  wanted: Amount,
  limits: Budgets = defaultBudgets,
): { ok: true } | { ok: false; purse: BudgetKind } {
  for (const purse of Object.keys(drawn) as BudgetKind[]) {
    const { turns, micros } = drawn[purse]!;
    if (turns + wanted.turns > limits[purse].turns || micros + wanted.micros > limits[purse].micros) return { ok: false, purse };
  }
  return { ok: true };
}

export const add = (a: Amount, b: Amount): Amount => ({ turns: a.turns + b.turns, micros: a.micros + b.micros });
/** After the turn: the real cost instead of the reserved amount. Never below nothing. */
export const settle = (drawn: Amount, reserved: Amount, spent: Amount): Amount => ({
  turns: Math.max(0, drawn.turns - reserved.turns + spent.turns),
  micros: Math.max(0, drawn.micros - reserved.micros + spent.micros),
});

/** Days are counted in UTC, so that a purse is the same one wherever it is asked for. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);
export const hourOf = (now: number): string => new Date(now).toISOString().slice(0, 13);
