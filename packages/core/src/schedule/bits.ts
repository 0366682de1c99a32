// Sets of quarter-hours, 32 to a word. Eight weeks are 168 words, so that a constraint of a person costs a few hundred operations.

export type Bits = Uint32Array;

export const emptyBits = (length: number): Bits => new Uint32Array((length + 31) >>> 5);

export function hasBit(bits: Bits, at: number): boolean {
  return ((bits[at >>> 5]! >>> (at & 31)) & 1) === 1;
}

/** Adds every position from `from` up to but not including `to`. */
export function addRange(bits: Bits, from: number, to: number): void {
  for (let at = from; at < to;) {
    const end = Math.min(to, (at | 31) + 1);
    const width = end - at;
    bits[at >>> 5]! |= (width === 32 ? 0xffffffff : (1 << width) - 1) << (at & 31);
    at = end;
  }
}

/** The positions from which `width` positions in a row are in the set. */
export function runsOf(bits: Bits, width: number): Bits {
  const runs = bits.slice();
  for (let covered = 1; covered < width;) {
    const step = Math.min(covered, width - covered);
    const [words, shift] = [step >>> 5, step & 31];
    for (let word = 0; word < runs.length; word++) {
      const low = runs[word + words] ?? 0;
      const high = runs[word + words + 1] ?? 0;
      runs[word]! &= shift === 0 ? low : (low >>> shift) | (high << (32 - shift));
    }
    covered += step;
  }
  return runs;
}

export const bitsWithout = (bits: Bits, removed: Bits): Bits => bits.map((word, at) => word & ~removed[at]!);

export function retainBits(bits: Bits, kept: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= kept[word]!;
}

export function addBits(bits: Bits, added: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! |= added[word]!;
}

export function countBits(bits: Bits): number {
  let count = 0;
  for (const word of bits) {
    const pairs = word - ((word >>> 1) & 0x55555555);
    const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
    count += Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

export function positionsOf(bits: Bits): number[] {
  const positions: number[] = [];
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word]!; rest !== 0; rest &= rest - 1) positions.push(word * 32 + 31 - Math.clz32(rest & -rest));
  }
  return positions;
}
