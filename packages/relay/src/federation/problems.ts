// Why a line to another relay does not work.

import { toOneLine } from '@parley/protocol';

export class RelayUnreachable extends Error {
  readonly relay: string;

  constructor(relay: string, why: string) {
    super(`The relay ${relay} cannot be reached: ${why}.`);
    this.relay = relay;
  }
}

/** It says something false about itself or about somebody. */
export class RelayLies extends Error {
  readonly relay: string;

  constructor(relay: string, what: string) {
    super(`The relay ${relay} is not trusted: ${what}.`);
    this.relay = relay;
  }
}

export class RelayKeyChanged extends Error {
  readonly relay: string;

  constructor(relay: string) {
    super(`The relay ${relay} shows another key than before. Its line is stopped until the operator accepts the key.`);
    this.relay = relay;
  }
}

/** Texts of other relays are shown to people: one line, of a length that fits. */
export const plainWords = (text: string): string => toOneLine(text).slice(0, 300);
