// The key by which the requests of one machine are counted.

/** One machine, one key: an IPv4 address mapped into IPv6 is itself, and an IPv6 network hands out whole /64s. */
export function addressKey(said: string): string {
  // Some proxies name the port as well.
  const address = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(said)?.[1] ?? /^\[(.+)\](?::\d+)?$/.exec(said)?.[1] ?? said;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('%')[0]!.split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const full = address.includes('::')
    ? [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right]
    : left;
  return full
    .slice(0, 4)
    .map((part) => part.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':');
}
