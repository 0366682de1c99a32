// A relay on somebody else's port, below one path: that of a hub.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { AccountPage } from './account/account-page.ts';
import type { RelayConfig } from './config.ts';
import { openRelay } from './open-relay.ts';
import { answerPlain, pathOf } from './plain-answers.ts';
import type { Relay } from './relay.ts';
import { type SocketUpgrade, upgradesFor } from './sockets.ts';

export interface MountedRelay {
  relay: Relay;
  path: string;
  upgrade: SocketUpgrade;
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close: () => Promise<void>;
}

export async function mountRelay(path: string, config: RelayConfig, log: Logger): Promise<MountedRelay> {
  const relay = await openRelay(config, log);
  const page = new AccountPage(relay, config, path);
  return {
    relay,
    path,
    upgrade: upgradesFor(relay, config),
    answer: (request, response) => answerPlain(relay, page, pathOf(request).slice(path.length), request, response),
    close: () => relay.close(),
  };
}
