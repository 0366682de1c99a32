// Whole chains, as far as one may see them. Facts tell of steps in conversations one is in; of others only that something
// moved. So what is shown is asked for again when its chain moves, a burst of moves at once.

import type { Chain, RouteInput } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { ParleyError } from '@parley/sdk';
import type { StateStore } from '../lib/store.ts';
import { type State, omitKey } from './model.ts';

export interface Chains {
  /** Fetches one; it is current from then on. */
  load: (id: string) => Promise<void>;
  /** Fetches those that fit; new ones come by themselves while somebody watches. */
  list: (query: ChainFilter) => Promise<void>;
  watch: () => () => void;
  moved: (id: string) => void;
  refreshAll: () => void;
  stop: () => void;
}

export type ChainFilter = NonNullable<RouteInput<'listChains'>['query']>;

const togetherMs = 150;

export function createChains(client: Client, store: StateStore<State>, onMoved: () => void): Chains {
  let watching = 0;
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const put = (chains: readonly Chain[]) =>
    store.update((state) => ({ ...state, chains: { ...state.chains, ...Object.fromEntries(chains.map((chain) => [chain.id, chain])) } }));

  async function load(id: string) {
    put([await client.call('getChain', { params: { chainId: id } })]);
  }

  async function refresh(id: string) {
    try {
      await load(id);
    } catch (error) {
      // A chain that is no longer ours to see goes; otherwise it stays until it moves again.
      if (error instanceof ParleyError && error.code === 'not_found')
        store.update((state) => ({ ...state, chains: omitKey(state.chains, id) }));
    }
  }

  function flush() {
    timer = undefined;
    const ids = [...waiting];
    waiting.clear();
    onMoved();
    for (const id of ids) if (watching > 0 || store.get().chains[id]) void refresh(id);
  }

  function moved(id: string) {
    waiting.add(id);
    timer ??= setTimeout(flush, togetherMs);
  }

  return {
    load,
    list: async (query) => put((await client.call('listChains', { query })).chains),
    watch() {
      watching += 1;
      return () => {
        watching -= 1;
      };
    },
    moved,
    refreshAll: () => Object.values(store.get().chains).forEach((chain) => chain.endedAt === null && moved(chain.id)),
    stop: () => clearTimeout(timer),
  };
}
