// A relay on somebody else's port, below one path: that of a hub.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { wellKnownPath } from '@parley/protocol/relay';
import type { Logger } from 'pino';
import { AccountPage } from './account/account-page.ts';
import type { RelayConfig } from './config.ts';
import { openRelay } from './open-relay.ts';
import { answerPlain, pathOf, secureHeaders } from './plain-answers.ts';
import type { NameKeeper, Relay } from './relay.ts';
import { type SocketUpgrade, upgradesFor } from './sockets.ts';

export interface MountedRelay {
  relay: Relay;
  path: string;
  /** At the root, where other relays look. */
  wellKnownPath: string;
  upgrade: SocketUpgrade;
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close: () => Promise<void>;
}

export async function mountRelay(path: string, config: RelayConfig, log: Logger, isKept?: NameKeeper): Promise<MountedRelay> {
  const relay = await openRelay(config, log, Date.now, {}, isKept);
  const page = new AccountPage(relay, config, path);
  return {
    relay,
    path,
    wellKnownPath,
    upgrade: upgradesFor(relay, config),
    answer: (request, response) => {
      secureHeaders(response, config);
      const asked = pathOf(request);
      const below = asked === wellKnownPath ? asked : asked.slice(path.length);
      answerPlain(relay, page, below, request, response, config);
    },
    close: () => relay.close(),
  };
}
