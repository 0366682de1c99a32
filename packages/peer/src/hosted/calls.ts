// The calls between the hub's thread and the worker thread that runs the peers.

import type { HubModels, PeerCall, PeerEvents, PeerHub, PeerOwner } from '@parley/protocol';
import type { HubRequest, HubResponse } from './hub-fetch.ts';

export interface RegistrySettings {
  /** It has one folder for each person. */
  folder: string;
  /** The relay on the hub's port; null if there is none. */
  relayUrl: string | null;
  /** The present key of that relay. The hub knows it without asking over the network. */
  relayKey: string | null;
  /** The relay's address for people outside, which contact cards name. */
  publicRelayUrl: string | null;
  /** The models that peers may use; null if the hub offers none. */
  models: HubModels | null;
}

/** The worker answers these. */
export type RegistryCalls = {
  start(settings: RegistrySettings): Promise<void>;
  call(owner: PeerOwner, command: PeerCall, argument: unknown): Promise<unknown>;
  knows(memberId: string): Promise<boolean>;
  close(memberId: string): Promise<void>;
  backup(memberId: string): Promise<string | null>;
  restore(memberId: string, text: string): Promise<void>;
  erase(memberId: string, address?: string): Promise<void>;
  stop(): Promise<void>;
};

/** The hub's thread answers these. */
export type HubCalls = { [E in keyof PeerEvents]: PeerEvents[E] } & Omit<PeerHub, 'port' | 'events' | 'models' | 'restarted'> & {
    /** A code that registers one name at the relay. */
    invite(): Promise<string>;
    /** Removes an account at the relay, with the packets that wait for it. */
    forgetAddress(address: string): Promise<void>;
    /** Calls an address that a person gave. The hub decides which addresses are allowed. */
    fetch(request: HubRequest): Promise<HubResponse>;
    log(problem: string): Promise<void>;
  };

export const noRelay =
  'This hub carries no relay (PARLEY_RELAY=0), so it can run no peers. Switch it on, or run your own peer with `npx parley peer run`.';
