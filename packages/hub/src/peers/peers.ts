// The people's peers, as the rest of the hub uses them: whose peer it is comes from the member's row, and a refusal of the service
// becomes an error of the API.

import { type ErrorCode, ParleyError, type PeerCall, PeerCallError, type PeerCallErrorCode, type PeerCalls } from '@parley/protocol';
import type { Store } from '../store/port.ts';
import type { PeerHost } from './port.ts';

const codes: Record<PeerCallErrorCode, ErrorCode> = {
  not_found: 'not_found',
  bad_input: 'invalid_request',
  answered: 'already_answered',
  unavailable: 'peer_unavailable',
  refused: 'peer_refused',
  occupied: 'peer_occupied',
};

const noService = 'This hub runs no peers. Start it with `parley up`, or run your own peer with `parley peer run`.';
const notStarted = 'The hub’s peers are starting. Try again in a moment.';

export class Peers {
  private isOpen = false;
  private readonly store: Store;
  private readonly host: PeerHost | undefined;

  constructor(store: Store, host: PeerHost | undefined) {
    this.store = store;
    this.host = host;
  }

  /** When the hub listens: the service reaches the relay on the hub's port. */
  async start(port: number): Promise<void> {
    if (!this.host) return;
    const nothing = () => Promise.resolve();
    await this.host.start({
      port,
      events: { made: nothing, changed: nothing, alarms: nothing, sharing: nothing },
      isActive: (id) => this.isActive(id),
    });
    this.isOpen = true;
  }

  async stop(): Promise<void> {
    this.isOpen = false;
    await this.host?.stop();
  }

  async call<C extends PeerCall>(memberId: string, command: C, argument: PeerCalls[C]['in']): Promise<PeerCalls[C]['out']> {
    if (!this.host) throw new ParleyError('peer_unavailable', noService);
    if (!this.isOpen) throw new ParleyError('peer_unavailable', notStarted);
    const [member] = await this.store.rows('members', { id: memberId });
    if (!member) throw new ParleyError('not_found');
    const owner = { memberId, handle: member.handle, displayName: member.display_name };
    try {
      return await this.host.call(owner, command, argument);
    } catch (error) {
      throw error instanceof PeerCallError ? new ParleyError(codes[error.code], error.message) : error;
    }
  }

  private async isActive(memberId: string): Promise<boolean> {
    const [member] = await this.store.rows('members', { id: memberId });
    return member?.status === 'active';
  }
}
