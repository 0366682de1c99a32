// Everything that a person can ask of their peer: one interface for a program, a terminal, an MCP client and a hub. Values of JSON only, so
// that a worker thread, a socket or another hub can answer them.

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

/** Whose peer it is. Its handle becomes its name at the relay when it is made. */
export interface PeerOwner {
  memberId: string;
  handle: string;
  displayName: string;
}

type OtherSide = { address: string } | PeerOwner;

/** With several others. `order`: among them and the owner. */
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
  /** What is new to the person in it (A2C-39). */
  introduces: ('person' | 'group' | 'project' | 'memory')[];
};

/** A host names the owner of a call. `threadId` may also be the ID of a prompt of the negotiation. Changes say in `line` why the relay was not reached. */
export interface PeerCalls extends SpaceCalls {
  me: { in: null; out: MyPeer };
  make: { in: null; out: MyPeer };
  people: { in: null; out: PeerPerson[] };
  add: { in: { card: string }; out: PeerPerson };
  verify: { in: { address: string; accepts?: string | undefined; keeps?: true | undefined }; out: PeerSafety };
  block: { in: { address: string; isOn: boolean }; out: PeerPerson };
  /** With everything that was learned of them. */
  remove: { in: { address: string }; out: null };
  /** To the relay. */
  report: { in: { address: string; reason: ReportStatement['reason'] }; out: null };
  /** A plain packet. Resolves once the relay has stored it. */
  send: {
    in: { to: string; context: FreeFields; startsNew: boolean };
    out: { packetId: string; threadId: string; to: string; number: number };
  };
  inbox: { in: null; out: PeerInbox };
  /** The text of the file, sealed. */
  backup: { in: { passphrase: string } | { key: string }; out: string };
  profile: { in: null; out: PeerProfile };
  setField: { in: { field: string; value: FreeFields[string] | null }; out: PeerProfile };
  /** The time zone of the person's browser. Their peer takes it where it has none, also if it is made later. */
  noticeZone: { in: { zone: string }; out: null };
  setTier: { in: { field: string; tier: Tier | null; address?: string | undefined }; out: PeerProfile };
  addCalendar: { in: AddCalendar; out: PeerProfile };
  /** A file on the person's own machine, which is read each time. */
  linkCalendar: { in: { path: string }; out: PeerProfile };
  removeCalendar: { in: { name: string }; out: PeerProfile };
  /** The person's own calendar as an iCalendar text. */
  calendar: { in: null; out: { ics: string } };
  actions: { in: null; out: PeerActions };
  /** `audience`: of a channel, as the hub calls it. */
  addAction: { in: AddPeerAction & { audience?: string }; out: PeerActions };
  removeAction: { in: { name: string }; out: PeerActions };
  /** Whether the hub's model negotiates for the person. */
  model: { in: null; out: PeerModel };
  setModel: { in: { isOn: boolean }; out: PeerModel };
  /** The model that the person pays, with their own key. */
  ownModel: { in: null; out: OwnModels };
  setOwnModel: { in: { provider: OwnModelProvider; isSecond?: boolean | undefined }; out: OwnModels };
  /** Forgets the keys too. `isSecond`: only the second provider. */
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
  /** `isStored`: as it is here, without asking the relay first. */
  negotiation: { in: { threadId: string; isStored?: boolean }; out: OwnNegotiation };
  steer: { in: { threadId: string; act: 'decline' | 'continue'; words?: string | undefined }; out: NegotiationSummary };
  /** What a running negotiation is about now, in the person's words. */
  changeIntent: { in: { threadId: string; intent: string; needs?: Need[] | undefined }; out: NegotiationSummary };
  /** Splits something off; the negotiation itself, then its new forks. */
  fork: { in: { threadId: string; into: string[]; rest?: string | undefined }; out: NegotiationSummary[] };
  /** Offers the coordination of a group to a member's peer. Members of this hub are introduced to that peer first. */
  transfer: { in: { threadId: string; to: string; reason?: string | undefined }; out: NegotiationSummary };
  /** The words of open prompts; one that is no longer open is left out. */
  prompts: { in: { ids: string[] }; out: { id: string; card: PromptCard }[] };
  /** By a prompt's ID, or that of its negotiation. Null where it belongs to none. The first answer counts: a second one is refused as `answered`. */
  answer: { in: { promptId: string; answer: PromptAnswer }; out: NegotiationSummary | null };
  /** Of everybody, or of one. */
  memory: { in: { address?: string | undefined }; out: RelationshipMemory[] };
  editMemory: { in: { address: string } & EditMemory; out: RelationshipMemory };
  forgetMemory: { in: { address: string }; out: null };
  /** A made-up person in this service, whose peer answers by itself: so that one person alone can try a negotiation. */
  sample: { in: null; out: PeerPerson };
  removeSample: { in: null; out: null };
  /** Everything of the person, decrypted, for their own export. */
  export: { in: null; out: Record<string, unknown> };
}
export type PeerCall = keyof PeerCalls;

/** The calls of one person's peer, wherever it runs. */
export type OwnPeerCalls = {
  readonly [C in PeerCall]: (...argument: PeerCalls[C]['in'] extends null ? [] : [PeerCalls[C]['in']]) => Promise<PeerCalls[C]['out']>;
};

/** A negotiation as the hub may know it: no word of it. */
export interface NegotiationStatus {
  threadId: string;
  /** The negotiation that it was split off from; it belongs to the same task. */
  parentThreadId: string | null;
  state: string;
  /** The two have reached an end, or nothing will happen without the person. */
  isEnded: boolean;
  isUrgent: boolean;
  /** Open prompts, in the order they came. */
  prompts: { id: string; kind: PromptKind }[];
  /** Set once, when both confirmed that it is posted where it was asked for: the only words that leave the peer's store. */
  outcome: string | null;
}

/** What the service reports. Repeated until the hub has stored it. */
export interface PeerEvents {
  made(memberId: string, address: string): Promise<void>;
  changed(memberId: string, status: NegotiationStatus): Promise<void>;
  /** Prompts that belong to no negotiation, such as changed keys. All that are open now. */
  alarms(memberId: string, prompts: { id: string; kind: PromptKind }[]): Promise<void>;
  /** Safe to repeat: numbers only grow. */
  space(memberId: string, status: SpaceStatus): Promise<void>;
  /** All tiers of the person that hold inside the hub: after each change of them, and when the peer is made or starts. */
  sharing(memberId: string, rules: HubSharing): Promise<void>;
}

/** The hub, as the service that runs people’s peers sees it (ADR 0023). */
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

/** That service, as the hub sees it. Neither imports the other: the command line hands it in. */
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

/** Why a peer does not do what it was asked. The text is for the person: what happened, why, and what to do. */
export class PeerCallError extends Error {
  readonly code: PeerCallErrorCode;

  constructor(code: PeerCallErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PeerCallError';
    this.code = code;
  }
}

/** The person gave something that cannot be used as it is. */
export const badInput = (message: string): PeerCallError => new PeerCallError('bad_input', message);
