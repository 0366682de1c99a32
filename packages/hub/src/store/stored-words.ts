// Rows and facts keep the words of their time, because checksums cover them and an older database must open (SYS-15).
// Only this file knows both words.

const expired = 'lapsed';

/** A state as the column of a row holds it. */
export type Stored<W extends string> = W extends 'expired' ? typeof expired : W;
type Word<S extends string> = S extends typeof expired ? 'expired' : S;

const words = new Map([
  [expired, 'expired'],
  ['too_long', 'too_slow'],
]);

export const storedState = <W extends string>(state: W): Stored<W> => (state === 'expired' ? expired : state) as Stored<W>;
/** The word of today for a stored state or reason. */
export const wordOf = <S extends string>(stored: S): Word<S> => (words.get(stored) ?? stored) as Word<S>;
