// Which hub of a database runs the people's peers: the one with the folder that the database names. Step 16 deletes this, when
// any hub can run any peer.

import { type Handler, mustBeSystem } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';

export interface PeerHomeCommands {
  /** `holds`: the folder has peers of this database. `isFirst`: nobody has a peer yet. `move`: whatever the database names. */
  'peers.claim_home': [{ folder: string; holds: boolean; isFirst: boolean; move: boolean }, { home: PeerHome }];
}

export type PeerHome = 'here' | 'elsewhere' | 'contested';

const homeKey = 'peers_home';
/** In place of a folder: two hold peers, and nobody has chosen one. */
export const contested = 'contested';
const chosen = 'chosen';

const claim: Handler<'peers.claim_home'> = {
  locks: () => [homeKey],
  decide: ({ by, folder, holds, isFirst, move }, tx) => {
    mustBeSystem(by, tx);
    const row = tx.get('settings', homeKey);
    const [known, how] = row?.value.split(' ') ?? [];
    const take = (home: string, value = home): void => {
      if (row?.value === value) return;
      if (row) tx.update('settings', row, { value });
      else tx.insert('settings', { key: homeKey, value });
      if (home !== known) append(tx, { type: 'peers.home_moved', subject_id: home });
    };
    if (move) take(folder, `${folder} ${chosen}`);
    else if (known === undefined && (holds || isFirst)) take(folder);
    else if (known === undefined) return { home: 'elsewhere' };
    else if (known !== folder) {
      if (known === contested) return { home: contested };
      // Peers that were copied when their home moved stay where they were: a choice is not contested.
      if (!holds || how === chosen) return { home: 'elsewhere' };
      take(contested);
      return { home: contested };
    }
    return { home: 'here' };
  },
};

export const peerHomeHandlers = { 'peers.claim_home': claim };
