// The calls of a person's peer: one interface for a program, a terminal, an MCP client and a hub. All values are JSON, so that a worker
// thread, a socket or another hub can answer.

import type { AddPeerAction, ChannelPost, PeerActions } from './actions.ts';
import type { HubModels, OwnModelProvider, OwnModels, PeerModel, PeerModelAnswer, PeerModelQuestion } from './models.ts';
import type { PromptAnswer, PromptCard, PromptKind } from './prompts.ts';
import type { MyPeer, PeerInbox, PeerPerson, PeerSafety } from './people.ts';
import type { AddCalendar, EditMemory, HubSharing, PeerProfile, RelationshipMemory } from './sharing.ts';
import type { NegotiationSummary, WholeNegotiation } from './negotiations.ts';
import type { OpenOutside, OutsideAnswer } from './outside.ts';
import type { FreeFields, Need } from '../relay/packet-fields.ts';
import type { ReportStatement } from '../relay/relay-messages.ts';
import type { SpaceCalls, SpaceStatus } from './spaces.ts';
import type { SharingTierName } from './sharing.ts';
import type { z } from 'zod';

/** The owner of a peer. The handle becomes the peer's name at the relay. */
export interface PeerOwner {
  memberId: string;
  handle: string;
  displayName: string;
}

type OtherSide = { address: string } | PeerOwner;

/** Terms of a negotiation with several others. `order` names them and the owner. */
export interface GroupTerms {
  quorum?: number | undefined;
  order?: ({ address: string } | { memberId: string })[] | undefined;
  patienceMs?: number | undefined;
}

type Tier = z.infer<typeof SharingTierName>;

/** A prompt that waits for the person. */
export type OpenPrompt = { id: string } & PromptCard;

/** A negotiation with everything that its person may know, without what only a hub knows. */
export type OwnNegotiation = Omit<WholeNegotiation, 'checkpointIds' | 'taskId'> & {
  openPrompts: OpenPrompt[];
  /** Features that are new to the person in it (A2C-39). */
  introduces: ('person' | 'group' | 'project' | 'memory')[];
};

/**
 * A host names the owner of a call. `threadId` may also be the ID of a prompt of the negotiation. The results of changes say in `line` why
 * the peer could not reach its relay.
 */
export interface PeerCalls extends SpaceCalls {
  me: { in: null; out: MyPeer };
  make: { in: null; out: MyPeer };
  people: { in: null; out: PeerPerson[] };
  add: { in: { card: string }; out: PeerPerson };
  verify: { in: { address: string; accepts?: string | undefined; keeps?: true | undefined }; out: PeerSafety };
  block: { in: { address: string; isOn: boolean }; out: PeerPerson };
  /** Removes a person, with everything that the peer learned about them. */
  remove: { in: { address: string }; out: null };
  /** Reports a person to the relay. */
  report: { in: { address: string; reason: ReportStatement['reason'] }; out: null };
  /** Sends a plain packet. Resolves when the relay has stored it. */
  send: {
    in: { to: string; context: FreeFields; startsNew: boolean };
    out: { packetId: string; threadId: string; to: string; number: number };
  };
  inbox: { in: null; out: PeerInbox };
  /** Makes a sealed backup, as the text of a file. */
  backup: { in: { passphrase: string } | { key: string }; out: string };
  profile: { in: null; out: PeerProfile };
  setField: { in: { field: string; value: FreeFields[string] | null }; out: PeerProfile };
  /** Notes the time zone of the person's browser. A peer without a zone takes it, also a peer that is made later. */
  noticeZone: { in: { zone: string }; out: null };
  setTier: { in: { field: string; tier: Tier | null; address?: string | undefined }; out: PeerProfile };
  addCalendar: { in: AddCalendar; out: PeerProfile };
  /** Links a file on the person's own machine. The peer reads it anew each time. */
  linkCalendar: { in: { path: string }; out: PeerProfile };
  removeCalendar: { in: { name: string }; out: PeerProfile };
  /** The person's own calendar as an iCalendar text. */
  calendar: { in: null; out: { ics: string } };
  actions: { in: null; out: PeerActions };
  /** `audience`: the hub's name for a channel. */
  addAction: { in: AddPeerAction & { audience?: string }; out: PeerActions };
  removeAction: { in: { name: string }; out: PeerActions };
  /** Whether the hub's model negotiates for the person. */
  model: { in: null; out: PeerModel };
  setModel: { in: { isOn: boolean }; out: PeerModel };
  /** The model that the person pays for with their own key. */
  ownModel: { in: null; out: OwnModels };
  setOwnModel: { in: { provider: OwnModelProvider; isSecond?: boolean | undefined }; out: OwnModels };
  /** Removes the model with its keys. `isSecond`: only the second provider. */
  removeOwnModel: { in: { isSecond?: boolean | undefined }; out: OwnModels };
  /** Safe to repeat: the same thread ID opens one negotiation. `with`: addresses, or members of this hub, who are introduced first. */
  open: {
    in: {
      threadId?: string;
      with: OtherSide | OtherSide[];
      intent: string;
      needs?: Need[] | undefined;
      audience?: string | null;
      group?: GroupTerms | undefined;
    };
    out: NegotiationSummary;
  };
  /** Asks somebody without an agent. Safe to repeat: the same thread ID opens one negotiation. */
  invite: { in: { threadId?: string; from?: string } & Omit<OpenOutside, 'share'> & Partial<OpenOutside>; out: NegotiationSummary };
  reply: { in: { threadId: string; reply: OutsideAnswer }; out: NegotiationSummary };
  /** The present link of an offer, or a new one in its place. The key goes into the link's fragment, and is stored nowhere else. */
  requestLink: {
    in: { threadId: string; isNew: boolean };
    out: { id: string; key: string; sealed: string; expiresAt: number };
  };
  takeLinkAnswer: { in: { threadId: string; linkId: string; sealed: string }; out: { isRead: boolean } };
  negotiations: { in: null; out: NegotiationSummary[] };
  /** `isStored`: answers from the peer's own store, without asking the relay first. */
  negotiation: { in: { threadId: string; isStored?: boolean }; out: OwnNegotiation };
  steer: { in: { threadId: string; act: 'decline' | 'continue'; words?: string | undefined }; out: NegotiationSummary };
  /** Changes the intent of a running negotiation, in the person's words. */
  changeIntent: { in: { threadId: string; intent: string; needs?: Need[] | undefined }; out: NegotiationSummary };
  /** Splits a negotiation. Returns it first, then its new forks. */
  fork: { in: { threadId: string; into: string[]; rest?: string | undefined }; out: NegotiationSummary[] };
  /** Offers the coordination of a group to a member's peer. Members of this hub are introduced to that peer first. */
  transfer: { in: { threadId: string; to: string; reason?: string | undefined }; out: NegotiationSummary };
  /** The cards of open prompts. Prompts that are no longer open are left out. */
  prompts: { in: { ids: string[] }; out: { id: string; card: PromptCard }[] };
  /**
   * Answers a prompt, named by its own ID or that of its negotiation. Returns null for a prompt without a negotiation. The first answer
   * counts; a second one is refused as `answered`.
   */
  answer: { in: { promptId: string; answer: PromptAnswer }; out: NegotiationSummary | null };
  /** The memories about everybody, or about one person. */
  memory: { in: { address?: string | undefined }; out: RelationshipMemory[] };
  editMemory: { in: { address: string } & EditMemory; out: RelationshipMemory };
  forgetMemory: { in: { address: string }; out: null };
  /** Adds a made-up person whose peer answers by itself, so that one person alone can try a negotiation. */
  sample: { in: null; out: PeerPerson };
  removeSample: { in: null; out: null };
  /** Everything that the peer stores, decrypted, for the person's own export. */
  export: { in: null; out: Record<string, unknown> };
}
export type PeerCall = keyof PeerCalls;

/** The calls of one person's peer, wherever it runs. */
export type OwnPeerCalls = {
  readonly [C in PeerCall]: (...argument: PeerCalls[C]['in'] extends null ? [] : [PeerCalls[C]['in']]) => Promise<PeerCalls[C]['out']>;
};

/** The part of a negotiation that the hub may know. It contains none of its texts. */
export interface NegotiationStatus {
  threadId: string;
  /** The negotiation that it was split off from; it belongs to the same task. */
  parentThreadId: string | null;
  state: string;
  /** The two have reached an end, or the negotiation waits for the person. */
  isEnded: boolean;
  isUrgent: boolean;
  /** Open prompts, in the order they came. */
  prompts: { id: string; kind: PromptKind }[];
  /** Set when both people confirmed that the outcome is posted in the hub. It is the only text that leaves the peer's store. */
  outcome: string | null;
}

/** The reports of the service. Each is repeated until the hub has stored it. */
export interface PeerEvents {
  made(memberId: string, address: string): Promise<void>;
  changed(memberId: string, status: NegotiationStatus): Promise<void>;
  /** All open prompts without a negotiation, such as changed keys. */
  alarms(memberId: string, prompts: { id: string; kind: PromptKind }[]): Promise<void>;
  /** Safe to repeat, because its numbers only grow. */
  space(memberId: string, status: SpaceStatus): Promise<void>;
  /** All sharing tiers that hold inside the hub. Sent after each change, and when the peer is made or starts. */
  sharing(memberId: string, rules: HubSharing): Promise<void>;
}

/** The part of the hub that the service for people’s peers may use (ADR 0023). */
export interface PeerHub {
  /** The hub listens here: the relay on the same port is at `ws://127.0.0.1:<port>/relay`. */
  port: number;
  events: PeerEvents;
  /** False if the person left the workspace. Their peer then stays closed. */
  isActive(memberId: string): Promise<boolean>;
  /** The member whose peer has this address; null if it is no member of this hub. */
  memberAt(address: string): Promise<string | null>;
  /** The tools of the person's own servers, as `server/tool`. */
  toolsOf(memberId: string): Promise<string[]>;
  /** Rejects with a `PeerCallError`; its code is `refused` if nothing has happened. */
  callTool(memberId: string, tool: string, argument: Readonly<Record<string, unknown>>): Promise<void>;
  /** Posts once for each key. Rejects with a `PeerCallError`; its code is `refused` if nothing was posted. */
  post(memberId: string, post: ChannelPost): Promise<void>;
  takeBackPost(memberId: string, key: string): Promise<void>;
  /** The models that peers may use; null if the hub offers none. */
  models: HubModels | null;
  /** Asks one of these models. The cost counts for the member's daily limit. */
  askModel(memberId: string, question: PeerModelQuestion): Promise<PeerModelAnswer>;
  /** The service stopped unexpectedly and runs again. Calls without an answer may have happened or not. */
  restarted(): Promise<void>;
}

/** The part of that service that the hub uses. Neither imports the other, because the command line connects them. */
export interface PeerHost {
  /** Called once, when the hub listens. The service opens the peers of active members and reports their states. */
  start(hub: PeerHub): Promise<void>;
  /** Rejects with a `PeerCallError`. */
  call<C extends PeerCall>(owner: PeerOwner, command: C, argument: PeerCalls[C]['in']): Promise<PeerCalls[C]['out']>;
  /** Whether the member has a peer here. */
  knows(memberId: string): Promise<boolean>;
  /** Disconnects the peer, and keeps its folder. A later call opens it again. */
  close(memberId: string): Promise<void>;
  /** The peer's own encrypted backup; undefined if there is no peer. */
  backup(memberId: string): Promise<string | undefined>;
  restore(memberId: string, text: string): Promise<void>;
  /** Deletes the peer's folder, and what the relay and other peers have under its address. Safe to repeat, also without a folder. */
  erase(memberId: string, address?: string): Promise<void>;
  stop(): Promise<void>;
}

export type PeerCallErrorCode =
  | 'not_found'
  | 'no_identity'
  | 'unknown_peer'
  | 'unknown_id'
  | 'bad_input'
  | 'answered'
  | 'calendar_conflict'
  | 'occupied'
  | 'unavailable'
  | 'relay_away'
  | 'queue_full'
  | 'refused'
  | 'line_stopped'
  | 'blocked'
  | 'displaced'
  | 'epoch_fork'
  | 'key_replaced'
  | 'unregistered'
  | 'not_a_backup'
  | 'wrong_passphrase';

/** An error of a peer's call. Its text tells the person what happened, why, and what to do. */
export class PeerCallError extends Error {
  readonly code: PeerCallErrorCode;

  constructor(code: PeerCallErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PeerCallError';
    this.code = code;
  }
}

/** The error for an input that the peer cannot use. */
export const badInput = (message: string): PeerCallError => new PeerCallError('bad_input', message);
