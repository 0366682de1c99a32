// The blocked addresses of each owner, in memory, so that no frame needs a query.

export class BlockLists {
  private readonly addresses = new Map<string, Set<string>>();

  constructor(rows: readonly { owner: string; address: string }[]) {
    this.replace(rows);
  }

  replace(rows: readonly { owner: string; address: string }[]): void {
    this.addresses.clear();
    for (const { owner, address } of rows) this.set(owner, address, true);
  }

  has = (owner: string, address: string): boolean => this.addresses.get(owner)?.has(address) ?? false;

  of = (owner: string): ReadonlySet<string> => this.addresses.get(owner) ?? new Set();

  set(owner: string, address: string, isBlocked: boolean): void {
    const blocked = this.addresses.get(owner) ?? new Set();
    if (isBlocked) blocked.add(address);
    else blocked.delete(address);
    if (blocked.size > 0) this.addresses.set(owner, blocked);
    else this.addresses.delete(owner);
  }

  clear(owner: string): void {
    this.addresses.delete(owner);
  }
}
