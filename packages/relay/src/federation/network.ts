// How a relay reaches another one. Users and other relays name domains, so a name must not lead to this machine or its network, and
// what answers there is read only so far and for so long.

import { lookup as resolve } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@parley/protocol';
import { lineProtocol, RelayDocument, wellKnownPath } from '@parley/protocol/relay';
import { WebSocket } from 'ws';
import { messageIn } from '../socket-messages.ts';
import { RelayLies, RelayUnreachable } from './problems.ts';

const answerMs = 5000;
const mostDocumentBytes = 16 * 1024;
const mostAnswerBytes = 64 * 1024;

/** Tests put their own in. */
export interface NetworkOptions {
  lookup?: LookupFunction;
  /** Replaces a URL by another one. */
  dial?: (url: URL) => URL;
}

/** Exceptions for trials and private networks. */
export interface NetworkReach {
  /** Addresses of this machine and its network are allowed. */
  isPrivate: boolean;
  /** Documents and lines are without TLS. */
  isPlain: boolean;
}

export class RelayNetwork {
  private readonly isPrivate: boolean;
  private readonly isPlain: boolean;
  private readonly lookup: LookupFunction;
  private readonly dial: (url: URL) => URL;

  constructor({ isPrivate, isPlain }: NetworkReach, { lookup = resolve, dial = (url) => url }: NetworkOptions = {}) {
    this.isPrivate = isPrivate;
    this.isPlain = isPlain;
    this.lookup = isPrivate ? lookup : publicOnly(lookup);
    this.dial = dial;
  }

  /** What the domain says about its relay. Throws a `RelayUnreachable` or `RelayLies`. */
  async documentOf(name: string): Promise<RelayDocument> {
    const at = `${this.isPlain ? 'http' : 'https'}://${name}${wellKnownPath}`;
    // `a.example:99999` has the form of a name.
    if (!URL.canParse(at)) throw new RelayUnreachable(name, `${at} is no address`);
    const url = new URL(at);
    const text = await this.get(url).catch((error: unknown) => {
      throw new RelayUnreachable(name, `${url.href} could not be read (${(error as Error).message})`);
    });
    const document = messageIn(RelayDocument, text);
    if (!document) throw new RelayUnreachable(name, `${url.href} is no document of a relay`);
    if (document.relay !== name) throw new RelayLies(name, `The document at ${url.href} is that of ${document.relay}`);
    if (!this.isPlain && !document.url.startsWith('wss:'))
      throw new RelayUnreachable(name, `${url.href} names an address without TLS (${document.url})`);
    return document;
  }

  /** Throws a `RelayUnreachable`. */
  openSocket(name: string, url: string): WebSocket {
    try {
      return new WebSocket(this.target(new URL(url)), [lineProtocol], {
        lookup: this.lookup,
        handshakeTimeout: answerMs,
        maxPayload: mostAnswerBytes,
        perMessageDeflate: false,
        followRedirects: false,
      });
    } catch (error) {
      throw new RelayUnreachable(name, (error as Error).message);
    }
  }

  /** An address in the URL itself is never looked up, so it is judged here. */
  private target(url: URL): URL {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (!this.isPrivate && (/(?:^|\.)localhost\.?$/.test(host) || (isIP(host) !== 0 && !isPublicAddress(host)))) throw notPublic(host);
    return this.dial(url);
  }

  /** A redirect is no answer: it could lead anywhere. */
  private get(url: URL): Promise<string> {
    return new Promise((done, fail) => {
      const target = this.target(url);
      const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
      const signal = AbortSignal.timeout(answerMs);
      const sent = request(target, { agent: false, signal, lookup: this.lookup, headers: { accept: 'application/json' } }, (answer) => {
        if (answer.statusCode !== 200) {
          answer.destroy();
          return fail(new Error(`status ${answer.statusCode}`));
        }
        const parts: Buffer[] = [];
        let size = 0;
        answer.on('data', (part: Buffer) => {
          parts.push(part);
          size += part.length;
          if (size > mostDocumentBytes) answer.destroy(new Error(`more than ${mostDocumentBytes} bytes`));
        });
        answer.on('error', fail);
        answer.on('end', () => done(Buffer.concat(parts).toString()));
      });
      sent.on('error', fail);
      sent.end();
    });
  }
}

const notPublic = (host: string): Error => new Error(`${host} is a private, loopback or link-local address`);

/** Checks the address at the time of the connection, because a name may lead elsewhere at its second lookup. */
const publicOnly =
  (lookup: LookupFunction): LookupFunction =>
  (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '', 0);
      const all = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      if (all.length === 0 || !all.every(({ address }) => isPublicAddress(address))) return done(notPublic(host), '', 0);
      if (options.all) return done(null, all);
      done(null, all[0]!.address, all[0]!.family);
    });
  };
