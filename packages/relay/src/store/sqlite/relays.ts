// The table of other relays: the trusted key of each, and a different key that it has shown since (A2C-10).

import type { RelayStore, KnownRelay } from '../port.ts';
import type { Queries } from './registry.ts';

const columns = 'name, key, met_at AS metAt, changed_key AS changedKey, changed_at AS changedAt';

export function relaysOver({
  sql,
  one,
  all,
  whole,
}: Queries): Pick<RelayStore, 'knownRelays' | 'knownRelay' | 'meetRelay' | 'acceptRelayKey'> {
  const known = (name: string): KnownRelay | undefined =>
    one(`SELECT ${columns} FROM relays WHERE name = ?`, name) as KnownRelay | undefined;
  return {
    knownRelays: async () => all(`SELECT ${columns} FROM relays ORDER BY name`) as KnownRelay[],

    knownRelay: async (name) => known(name),

    meetRelay: (name, key, at) =>
      whole(() => {
        sql('INSERT OR IGNORE INTO relays (name, key, met_at) VALUES (?, ?, ?)').run(name, key, at);
        sql('UPDATE relays SET changed_key = NULL, changed_at = NULL WHERE name = ? AND key = ?').run(name, key);
        sql('UPDATE relays SET changed_key = ?1, changed_at = ?2 WHERE name = ?3 AND key <> ?1 AND changed_key IS NOT ?1').run(
          key,
          at,
          name,
        );
        return known(name)!;
      }),

    acceptRelayKey: async (name, key) =>
      sql('UPDATE relays SET key = changed_key, changed_key = NULL, changed_at = NULL WHERE name = ? AND changed_key = ?').run(name, key)
        .changes === 1,
  };
}
