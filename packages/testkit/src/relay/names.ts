// Names of relays that lead to ports of this machine, in place of DNS.

/** Which port a name leads to now. */
export class RelayNames {
  private readonly ports = new Map<string, () => number>();

  set(name: string, port: () => number): void {
    this.ports.set(name, port);
  }

  dial = (url: URL): URL => {
    const port = this.ports.get(url.host);
    if (!port) throw new Error(`no such name: ${url.host}`);
    const target = new URL(url);
    target.host = `127.0.0.1:${port()}`;
    return target;
  };
}
