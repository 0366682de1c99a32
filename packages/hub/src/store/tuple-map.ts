type Value = string | number;
type Branch<V> = Map<Value, Branch<V> | V>;

/**
 * A map whose keys are lists of ids and numbers, all of the same length. Followed value by value: one string made of
 * several would have to be put together and hashed for every look, and a message takes a dozen looks.
 */
export class ByValues<V> {
  private readonly top: Branch<V> = new Map();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(values: readonly Value[]): V | undefined {
    let at: Branch<V> | V | undefined = this.top;
    for (let i = 0; i < values.length && at !== undefined; i++) at = (at as Branch<V>).get(values[i]!);
    return at as V | undefined;
  }

  set(values: readonly Value[], value: V): void {
    let at = this.top;
    for (let i = 0; i < values.length - 1; i++) {
      let next = at.get(values[i]!) as Branch<V> | undefined;
      if (!next) at.set(values[i]!, (next = new Map()));
      at = next;
    }
    const before = at.size;
    at.set(values[values.length - 1]!, value);
    this.count += at.size - before;
  }

  delete(values: readonly Value[]): void {
    if (this.cut(this.top, values, 0)) this.count--;
  }

  /** Removes a branch together with its last leaf. */
  private cut(branch: Branch<V>, values: readonly Value[], at: number): boolean {
    const value = values[at]!;
    if (at === values.length - 1) return branch.delete(value);
    const next = branch.get(value) as Branch<V> | undefined;
    if (!next || !this.cut(next, values, at + 1)) return false;
    if (next.size === 0) branch.delete(value);
    return true;
  }

  clear(): void {
    this.top.clear();
    this.count = 0;
  }
}
