// The port to the service that runs people's peers (ADR 0023). The hub imports none: the command line passes one in.

import type {
  ChannelPost,
  HubModels,
  PeerCall,
  PeerCalls,
  PeerEvents,
  PeerModelAnswer,
  PeerModelQuestion,
  PeerOwner,
} from '@parley/protocol';

/** The hub, as the service sees it. */
export interface PeerHub {
  /** The hub listens here: the relay on the same port is at `ws://127.0.0.1:<port>/relay`. */
  port: number;
  events: PeerEvents;
  /** False: the person left the workspace, and their peer stays closed. */
  isActive(memberId: string): Promise<boolean>;
  /** Whose peer has this address; null: nobody's of this hub. */
  memberAt(address: string): Promise<string | null>;
  /** Tools of servers that are the person's own, as `server/tool`. */
  toolsOf(memberId: string): Promise<string[]>;
  /** Rejects with a `PeerCallError`: `refused` where nothing has happened. */
  callTool(memberId: string, tool: string, argument: Readonly<Record<string, unknown>>): Promise<void>;
  /** Rejects with a `PeerCallError`: `refused` where nothing was posted. Once for its key. */
  post(memberId: string, post: ChannelPost): Promise<void>;
  takeBackPost(memberId: string, key: string): Promise<void>;
  /** What peers may think with; null: the hub offers no model. */
  models: HubModels | null;
  /** One question to one of these models, charged to the member's day. */
  askModel(memberId: string, question: PeerModelQuestion): Promise<PeerModelAnswer>;
  /** The service stopped by itself and runs again: calls that it had not answered may have been done or not. */
  restarted(): Promise<void>;
}

export interface PeerHost {
  /** Called once, when the hub listens. The service opens the peers of active members and reports their states. */
  start(hub: PeerHub): Promise<void>;
  /** Rejects with a `PeerCallError`. */
  call<C extends PeerCall>(owner: PeerOwner, command: C, argument: PeerCalls[C]['in']): Promise<PeerCalls[C]['out']>;
  /** Whether the member has a peer here. */
  knows(memberId: string): Promise<boolean>;
  /** Takes the peer off the line, and keeps its folder. A later call opens it again. */
  close(memberId: string): Promise<void>;
  /** The peer's own encrypted backup; undefined: there is no peer. */
  backup(memberId: string): Promise<string | undefined>;
  restore(memberId: string, text: string): Promise<void>;
  /** Deletes the peer's folder, and what others have of it under its address. Safe to repeat, also without a folder. */
  erase(memberId: string, address?: string): Promise<void>;
  stop(): Promise<void>;
}
