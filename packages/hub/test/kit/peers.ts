// A service for people's peers in a few lines: it keeps what the hub asks, answers with words that no row of the hub may hold, and
// reports what a test tells it to report.

import {
  type NegotiationStatus,
  type NegotiationSummary,
  type OutsideRequest,
  type PeerCall,
  PeerCallError,
  type PeerCalls,
  type PeerHost,
  type PeerHub,
  type PeerOwner,
  type PromptAnswer,
  type PromptCard,
} from '@parley/protocol';

/** In no row and no log line of the hub. */
export const canaryKey = 'CANARY-of-the-fragment';

export class PeerServiceKit implements PeerHost {
  hub: PeerHub | undefined;
  readonly calls: { memberId: string; command: PeerCall; argument: unknown }[] = [];
  readonly peers = new Map<string, { address: string }>();
  readonly opened = new Map<string, PeerCalls['open']['in'] & { threadId: string; memberId: string }>();
  /** Shared spaces: whose they are. */
  readonly spaces = new Map<string, string>();
  readonly cards = new Map<string, PromptCard>();
  readonly answers = new Map<string, PromptAnswer>();
  readonly closed: string[] = [];
  readonly erased: string[] = [];
  readonly erasedAddresses: string[] = [];
  readonly restored = new Map<string, string>();
  /** The present link of each negotiation. */
  readonly links = new Map<string, PeerCalls['requestLink']['out']>();
  linksUntil = 0;
  private linkCount = 0;
  /** The next call rejects with this. */
  refusal: Error | undefined;
  /** The worker dies with the next opening, after its commit or before it; then so many calls find nobody. */
  death: { isOpened: boolean; calls: number } | undefined;

  start(hub: PeerHub): Promise<void> {
    this.hub = hub;
    return Promise.resolve();
  }

  async call<C extends PeerCall>(owner: PeerOwner, command: C, argument: PeerCalls[C]['in']): Promise<PeerCalls[C]['out']> {
    this.calls.push({ memberId: owner.memberId, command, argument });
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal) throw refusal;
    if (this.death) await this.die(owner, command, argument as never);
    const answer = await this.answer(owner, command, argument as never);
    // As a worker thread would answer: a copy.
    return JSON.parse(JSON.stringify(answer)) as PeerCalls[C]['out'];
  }

  private async die(owner: PeerOwner, command: PeerCall, argument: PeerCalls['open']['in']): Promise<void> {
    const { isOpened, calls } = this.death!;
    if (command === 'open' && isOpened) await this.open(owner, argument);
    this.death = calls > 1 ? { isOpened: false, calls: calls - 1 } : undefined;
    throw new PeerCallError('unavailable', 'The hub’s peers stopped before they answered. Try again.');
  }

  /** Tells the hub how a negotiation is. */
  report(memberId: string, status: Partial<NegotiationStatus> & { threadId: string }): Promise<void> {
    return this.hub!.events.changed(memberId, {
      parentThreadId: null,
      state: 'DISCOVERING',
      isEnded: false,
      isUrgent: false,
      prompts: [],
      outcome: null,
      ...status,
    });
  }

  knows = (memberId: string) => Promise.resolve(this.peers.has(memberId));
  backup = (memberId: string) => Promise.resolve(this.peers.has(memberId) ? `sealed backup of ${memberId}` : undefined);
  restore = (memberId: string, text: string) => {
    this.restored.set(memberId, text);
    this.peers.set(memberId, { address: `agent:${memberId}@localhost` });
    return Promise.resolve();
  };
  erase = (memberId: string, address?: string) => {
    this.erased.push(memberId);
    if (address !== undefined) this.erasedAddresses.push(address);
    this.peers.delete(memberId);
    return Promise.resolve();
  };
  close = (memberId: string) => {
    this.closed.push(memberId);
    return Promise.resolve();
  };
  stop = () => Promise.resolve();

  private async answer(owner: PeerOwner, command: PeerCall, argument: never): Promise<unknown> {
    switch (command) {
      case 'me':
        return this.me(owner.memberId);
      case 'make':
        await this.make(owner);
        return this.me(owner.memberId);
      case 'open':
        return this.open(owner, argument);
      case 'invite': {
        const { threadId = '', name, intent } = argument as PeerCalls['invite']['in'];
        return this.open(owner, { threadId, with: { address: `outside:${name}@${threadId}` }, intent, needs: [], audience: null });
      }
      case 'requestLink':
        return this.requestLink(argument);
      case 'takeLinkAnswer':
        return { isRead: !(argument as PeerCalls['takeLinkAnswer']['in']).sealed.startsWith('garbage') };
      case 'negotiations':
        return [...this.opened.values()].filter((one) => one.memberId === owner.memberId).map(summaryOf);
      case 'steer':
      case 'changeIntent':
      case 'fork':
      case 'transfer':
      case 'reply':
      case 'negotiation': {
        const found = this.opened.get((argument as { threadId: string }).threadId);
        if (found?.memberId !== owner.memberId) throw new PeerCallError('not_found', 'There is no such negotiation.');
        const whole = {
          ...summaryOf(found),
          proposal: null,
          packets: 1,
          prompts: 0,
          steps: [],
          family: [],
          isConfirmed: false,
          isPaused: false,
          openPrompts: [],
          received: {},
          answered: [],
          notes: [],
          model: null,
          introduces: [],
          outside: this.outsideOf(found.threadId),
        };
        return command === 'fork' ? [whole, { ...whole, threadId: `${found.threadId}f` }] : whole;
      }
      case 'createSpace':
        this.spaces.set((argument as { id: string }).id, owner.memberId);
        return spaceOf((argument as { id: string }).id);
      case 'space':
      case 'writeSpace':
      case 'joinSpace':
      case 'leaveSpace':
      case 'seeSpace':
      case 'watchSpace':
      case 'linkSpace': {
        const { id } = argument as { id: string };
        if (this.spaces.get(id) !== owner.memberId) throw new PeerCallError('not_found', 'There is no such space.');
        return spaceOf(id);
      }
      case 'prompts':
        return (argument as { ids: string[] }).ids.flatMap((id) => (this.cards.has(id) ? [{ id, card: this.cards.get(id) }] : []));
      case 'answer': {
        const given = argument as PeerCalls['answer']['in'];
        if (this.answers.has(given.promptId)) throw new PeerCallError('answered', 'You answered this before.');
        this.answers.set(given.promptId, given.answer);
        return null;
      }
      case 'people':
      case 'memory':
        return [];
      case 'calendar':
        return { ics: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n' };
      case 'profile':
      case 'setField':
      case 'addCalendar':
      case 'removeCalendar':
        return { fields: {}, tiers: {}, overrides: {}, calendars: [] };
      case 'export':
        return { intent: 'words of their own' };
      case 'addAction':
        return { actions: [], tools: [] };
      default:
        return null;
    }
  }

  private requestLink({ threadId, isNew }: PeerCalls['requestLink']['in']): PeerCalls['requestLink']['out'] {
    const known = this.links.get(threadId);
    if (known && !isNew) return known;
    this.linkCount += 1;
    const id = `link${String(this.linkCount).padStart(18, '0')}`;
    const made = { id, key: canaryKey, sealed: 'c'.repeat(100), expiresAt: this.linksUntil };
    this.links.set(threadId, made);
    return made;
  }

  private outsideOf(threadId: string): OutsideRequest | null {
    const link = this.links.get(threadId);
    if (!link) return null;
    const { id, expiresAt } = link;
    const shown = { id, expiresAt, state: 'made' as const, at: 0 };
    return { name: 'Carla', text: 'Hi Carla', hint: null, times: [], reply: null, awaitsReply: true, link: shown };
  }

  private me(memberId: string): PeerCalls['me']['out'] {
    return {
      address: this.peers.get(memberId)?.address ?? null,
      card: null,
      fingerprint: null,
      relay: null,
      problem: null,
      isSetUp: false,
    };
  }

  async make({ memberId, handle }: PeerOwner): Promise<void> {
    if (this.peers.has(memberId)) return;
    this.peers.set(memberId, { address: `agent:${handle.toLowerCase()}@localhost` });
    await this.hub!.events.made(memberId, this.peers.get(memberId)!.address);
  }

  private async open(owner: PeerOwner, argument: PeerCalls['open']['in']): Promise<NegotiationSummary> {
    await this.make(owner);
    for (const other of [argument.with].flat()) if ('memberId' in other) await this.make(other);
    const { threadId = '' } = argument;
    if (!this.opened.has(threadId)) this.opened.set(threadId, { ...argument, threadId, memberId: owner.memberId });
    return summaryOf(this.opened.get(threadId)!);
  }
}

const summaryOf = ({ threadId, with: others, intent }: PeerCalls['open']['in'] & { threadId: string }): NegotiationSummary => ({
  threadId,
  peer: [others].flat().map((other) => ('address' in other ? other.address : `agent:${other.handle.toLowerCase()}@localhost`))[0]!,
  peerName: [others].flat().map((other) => ('address' in other ? other.address : other.displayName))[0]!,
  role: 'initiator',
  state: 'DISCOVERING',
  intent,
  intentBy: 'own',
  reading: `${intent} (read)`,
  title: intent,
  isOutside: false,
  waitsForMe: false,
  notice: null,
  createdAt: 0,
  updatedAt: 0,
});

const spaceOf = (id: string): PeerCalls['space']['out'] => ({
  id,
  name: 'Rome',
  creator: 'agent:ann@localhost',
  people: [],
  isJoined: true,
  isNew: false,
  unseen: 0,
  changedAt: 0,
  fields: [],
  changes: [],
  refused: [],
  heldBack: [],
  watches: [],
  ownPrefix: 'ann.',
  channel: null,
  audiences: [],
});
