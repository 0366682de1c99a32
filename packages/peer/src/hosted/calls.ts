// What the two threads ask of each other.

import type { ChannelPost, HubModels, PeerCall, PeerEvents, PeerModelAnswer, PeerModelQuestion, PeerOwner } from '@parley/protocol';
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

export type ToolArgument = Readonly<Record<string, unknown>>;

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
export type HubCalls = { [E in keyof PeerEvents]: PeerEvents[E] } & {
  /** A code that registers one name at the relay. */
  invite(): Promise<string>;
  /** Removes an account, with what waits for it. */
  forgetAddress(address: string): Promise<void>;
  isActive(memberId: string): Promise<boolean>;
  /** Whose peer has this address; null: nobody's of this hub. */
  memberAt(address: string): Promise<string | null>;
  /** To an address that a person gave. The hub decides which addresses may be called. */
  fetch(request: HubRequest): Promise<HubResponse>;
  /** Tools of servers that are the member's own, as `server/tool`. */
  toolsOf(memberId: string): Promise<string[]>;
  /** Rejects with `refused` where nothing has happened. */
  callTool(memberId: string, tool: string, argument: ToolArgument): Promise<void>;
  /** Rejects with `refused` where nothing was posted. */
  post(memberId: string, post: ChannelPost): Promise<void>;
  takeBackPost(memberId: string, key: string): Promise<void>;
  /** One question to one of the hub's models. */
  askModel(memberId: string, question: PeerModelQuestion): Promise<PeerModelAnswer>;
  log(problem: string): Promise<void>;
};

export const noRelay =
  'This hub carries no relay (PARLEY_RELAY=0), so it can run no peers. Switch it on, or run your own peer with `npx parley peer run`.';
