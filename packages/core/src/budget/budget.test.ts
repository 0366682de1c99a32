import fc from 'fast-check';
import { expect, test } from 'vitest';
import { add, type Amount, type Budgets, dayOf, defaultBudgets, noAmount, type BudgetKind, reserve, settle } from './budget.ts';

const turn: Amount = { turns: 1, micros: 0 };
const purses = Object.keys(defaultBudgets) as BudgetKind[];

test.each(purses)('[SYS-10] the last turn and the last millionth of %s are given, not one more', (purse) => {
  const { turns, micros } = defaultBudgets[purse];
  expect(reserve({ [purse]: { turns: turns - 1, micros: 0 } }, turn)).toEqual({ ok: true });
  expect(reserve({ [purse]: { turns, micros: 0 } }, turn)).toEqual({ ok: false, purse });
  expect(reserve({ [purse]: { turns: 0, micros: micros - 1 } }, { turns: 1, micros: 1 })).toEqual({ ok: true });
  expect(reserve({ [purse]: { turns: 0, micros } }, { turns: 1, micros: 1 })).toEqual({ ok: false, purse });
});

test('[SYS-10] one empty purse is enough to refuse, and is named', () => {
  const drawn = { chain: noAmount, agent_day: { turns: 1000, micros: 0 }, workspace_day: noAmount };
  expect(reserve(drawn, turn)).toEqual({ ok: false, purse: 'agent_day' });
});

test('[SYS-10] a purse that a turn does not draw on does not matter', () => {
  expect(reserve({}, { turns: 10 ** 9, micros: 10 ** 15 })).toEqual({ ok: true });
});

test('[SYS-10] however turns are reserved and settled, no purse is overdrawn and what is left is what was spent', () => {
  const limits: Budgets = { ...defaultBudgets, chain: { turns: 20, micros: 1000 } };
  const amount = fc.record({ turns: fc.constant(1), micros: fc.nat(300) });
  fc.assert(
    fc.property(fc.array(fc.record({ wanted: amount, share: fc.double({ min: 0, max: 1, noNaN: true }) })), (turns) => {
      let drawn = noAmount;
      let total = noAmount;
      for (const { wanted, share } of turns) {
        if (!reserve({ chain: drawn }, wanted, limits).ok) continue;
        drawn = add(drawn, wanted);
        expect(drawn.turns).toBeLessThanOrEqual(20);
        expect(drawn.micros).toBeLessThanOrEqual(1000);
        const spent = { turns: 1, micros: Math.floor(wanted.micros * share) };
        drawn = settle(drawn, wanted, spent);
        total = add(total, spent);
        expect(drawn).toEqual(total);
      }
    }),
  );
});

test('[SYS-10] settling never leaves less than nothing', () => {
  expect(settle(noAmount, { turns: 1, micros: 5 }, noAmount)).toEqual(noAmount);
});

test('[SYS-10] a day is the same one everywhere', () => {
  expect(dayOf(Date.UTC(2030, 0, 1) - 1)).toBe('2029-12-31');
  expect(dayOf(Date.UTC(2030, 0, 1))).toBe('2030-01-01');
});
