// What the two threads ask of each other.

import type { HubModels, PeerCall, PeerEvents, PeerHub, PeerOwner } from '@parley/protocol';
import type { HubRequest, HubResponse } from './hub-fetch.ts';

export interface RegistrySettings {
  /** Holds one folder for each person. */
  folder: string;
  /** The relay on the hub's port; null: there is none. */
  relayUrl: string | null;
  /** The key of that relay now, as the hub itself knows it. */
  relayKey: string | null;
  /** As people outside reach it; it goes into contact cards. */
  publicRelayUrl: string | null;
  /** What peers may think with; null: the hub offers no model. */
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
    /** Removes an account, with what waits for it. */
    forgetAddress(address: string): Promise<void>;
    /** To an address that a person gave. The hub decides which addresses may be called. */
    fetch(request: HubRequest): Promise<HubResponse>;
    log(problem: string): Promise<void>;
  };

export const noRelay =
  'This hub carries no relay (PARLEY_RELAY=0), so it can run no peers. Switch it on, or run your own peer with `npx parley peer run`.';
