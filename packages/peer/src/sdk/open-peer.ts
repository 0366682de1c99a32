// A peer that lives in this process: its folder is locked, its line stays open, its negotiations go on.

import { type OwnNegotiation, type OwnPeerCalls, PeerCallError } from '@parley/protocol';
import { withOffers } from '../actions/configured-actions.ts';
import type { ActionHandlers } from '../actions/port.ts';
import { folderCalendar } from '../calendar/index.ts';
import { callsOf } from '../calls/own-host.ts';
import { listenForCalls } from '../control/control-socket.ts';
import { openNodeSocket } from '../link/node-socket.ts';
import { Negotiations } from '../negotiate/negotiations.ts';
import { keepResuming } from '../negotiate/background-work.ts';
import { profileIn, putProfile } from '../negotiate/negotiation-records.ts';
import { rulesBrain } from '../negotiate/rules-brain.ts';
import { LocalPeer, type PeerParts } from '../packets/local-peer.ts';
import { PeerLink } from '../packets/reconnection.ts';
import { getValue } from '../packets/peer-records.ts';
import { registerPeer, type Registration } from '../packets/registration.ts';
import { openLockedFolder } from '../store/sqlite/peer-folder.ts';

export interface PeerOptions {
  /** Its keys and history, of one peer and one process. */
  folder: string;
  /** Locks the folder. Without it the key lies beside the data. */
  passphrase?: string;
  /** Used once, where the folder holds no peer yet. */
  register?: Registration;
  /** What this side can do once both people confirmed, by the name that proposals list. Each proposal of a meeting offers them. */
  actions?: ActionHandlers;
  /** The person's time zone; default: that of this machine. */
  zone?: string;
  /** A negotiation went on, or waits for the person. */
  onChange?: (negotiation: OwnNegotiation, peer: OwnPeer) => void | Promise<void>;
  /** Something failed that no caller waits for: the line to the relay, or `onChange`. */
  onFailure?: (error: Error) => void;
}

export interface OwnPeer {
  readonly address: string;
  /** Everything that a person can do with their peer. */
  readonly calls: OwnPeerCalls;
  /** Leaves the line and unlocks the folder. Packets that wait go out the next time. */
  close(): Promise<void>;
}

export async function openPeer(options: PeerOptions): Promise<OwnPeer> {
  const { folder, passphrase } = options;
  const store = await openLockedFolder(folder, passphrase);
  if (!store) throw new PeerCallError('occupied', `Another process uses the peer in ${folder}. Stop it, or choose another folder.`);
  try {
    const peer = await peerIn({ store, openSocket: openNodeSocket, now: Date.now }, options);
    return await live(peer, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function peerIn(parts: PeerParts, { folder, register }: PeerOptions): Promise<LocalPeer> {
  if ((await getValue(parts.store, 'identity', 'self'))?.address) return LocalPeer.open(parts);
  if (!register)
    throw new PeerCallError('no_identity', `No peer lives in ${folder} yet. Give \`register\` with a name, a relay and a code.`);
  return registerPeer(parts, register);
}

async function live(peer: LocalPeer, options: PeerOptions): Promise<OwnPeer> {
  const { folder, actions = {}, onChange, onFailure = () => {}, zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options;
  const failed = (error: unknown): void => onFailure(error as Error);
  const negotiations = new Negotiations(peer, {
    calendar: folderCalendar(folder),
    brain: rulesBrain,
    actions,
    offersActions: true,
    random: Math.random,
    zone,
    onFailure,
    onChange: (record) => {
      if (onChange)
        calls
          .negotiation({ threadId: record.machine.threadId, isStored: true })
          .then((negotiation) => onChange(negotiation, own))
          .catch(failed);
    },
  });
  const ending = new AbortController();
  const { promise: lineIsUp, resolve: goOn } = Promise.withResolvers<void>();
  const link = new PeerLink(peer, {
    onEvent: (event) => {
      // Without a relay the peer works all the same, and its packets wait.
      if (event.type === 'connected' || event.type === 'disconnected') goOn();
      if (event.type === 'refused') onFailure(event.error);
      if (event.type === 'disconnected' && event.retryMs !== null) onFailure(new PeerCallError('relay_away', event.reason));
    },
  });
  const calls = callsOf(link, (act) => act(), negotiations);
  const working: Promise<void>[] = [];
  const own: OwnPeer = {
    address: peer.address,
    calls,
    close: async () => {
      ending.abort();
      negotiations.stop();
      await Promise.all(working);
      await stopListening();
      await peer.parts.store.close();
    },
  };
  const stopListening = await listenForCalls(folder, calls);
  if (Object.keys(actions).length > 0) await offerActions(negotiations);
  working.push(link.run(ending.signal).catch(failed).finally(goOn), keepResuming(negotiations, ending.signal).catch(failed));
  await lineIsUp;
  return own;
}

/** The person may keep them back by the tier of the field. */
const offerActions = ({ peer }: Negotiations): Promise<void> =>
  peer.inTurn(async () => {
    const { store } = peer.parts;
    const own = await profileIn(store);
    await store.commit([putProfile(withOffers(own))]);
  });
