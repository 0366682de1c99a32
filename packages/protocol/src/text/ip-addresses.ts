// Which IP addresses are public. Somebody who names a server for a hub or a relay must not reach with it what only the machine can:
// itself, its network, the metadata service of a cloud.

// prettier-ignore
const closedNets = ([
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12], ['192.0.0.0', 24],
  ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15], ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4],
  ['::', 96], ['::ffff:0:0:0', 96], ['64:ff9b::', 96], ['64:ff9b:1::', 48], ['100::', 64], ['2001::', 23], ['2001:db8::', 32], ['2002::', 16],
  ['3fff::', 20], ['5f00::', 16], ['fc00::', 7], ['fe80::', 10], ['fec0::', 10], ['ff00::', 8],
] as const).map(([net, bits]) => ({ groups: groupsOf(net)!, bits: net.includes(':') ? bits : bits + 96 }));

/** False also for texts that are no address. */
export function isPublicAddress(address: string): boolean {
  const groups = groupsOf(address);
  return groups !== undefined && !closedNets.some((net) => isInside(groups, net));
}

function isInside(groups: readonly number[], net: { groups: readonly number[]; bits: number }): boolean {
  for (let [index, left] = [0, net.bits]; left > 0; index += 1, left -= 16) {
    const shift = Math.max(0, 16 - left);
    if (groups[index]! >> shift !== net.groups[index]! >> shift) return false;
  }
  return true;
}

/** Eight groups of 16 bits. An IPv4 address has the ones of its IPv6 form, so that it is judged alike in either. */
function groupsOf(address: string): number[] | undefined {
  const bare = address.split('%', 1)[0]!;
  if (!bare.includes(':')) {
    const pair = ipv4Groups(bare);
    return pair && [0, 0, 0, 0, 0, 0xffff, ...pair];
  }
  const sides = bare.split('::');
  if (sides.length > 2) return undefined;
  const [left, right] = sides.map(partGroups);
  if (!left || (sides.length === 2 && !right)) return undefined;
  const missing = 8 - left.length - (right?.length ?? 0);
  if (sides.length === 1 ? missing !== 0 : missing < 1) return undefined;
  return [...left, ...Array.from({ length: missing }, () => 0), ...(right ?? [])];
}

function partGroups(part: string): number[] | undefined {
  if (part === '') return [];
  const groups: number[] = [];
  for (const text of part.split(':')) {
    const pair = text.includes('.') ? ipv4Groups(text) : undefined;
    if (pair) groups.push(...pair);
    else if (/^[0-9a-f]{1,4}$/i.test(text)) groups.push(Number.parseInt(text, 16));
    else return undefined;
  }
  return groups;
}

function ipv4Groups(text: string): [number, number] | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.|$)){4}$/.test(text)) return undefined;
  const [a, b, c, d] = text.split('.').map(Number) as [number, number, number, number];
  return Math.max(a, b, c, d) > 255 ? undefined : [a * 256 + b, c * 256 + d];
}

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
