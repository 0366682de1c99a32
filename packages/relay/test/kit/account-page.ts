// A person at the relay's account page, without a browser: keeps the cookie, sends the page's origin.

import { makePasskey, type AnswerOptions, type MadePasskey, signWithPasskey } from './authenticator.ts';
import type { TestRelay } from './relay.ts';

export interface PageResponse<T> {
  status: number;
  headers: Headers;
  body: T;
}

export interface NewTicket {
  code: string;
  expiresAt: string;
}

interface PageState {
  relay: string;
  page: string;
  url: string;
  account: { address: string; key: { fingerprint: string; device: number } | null; isOnline: boolean; connectedAt: string | null } | null;
}

export class Visitor {
  readonly relay: TestRelay;
  cookie = '';
  passkey!: MadePasskey;

  constructor(relay: TestRelay) {
    this.relay = relay;
  }

  get port(): string {
    return new URL(this.relay.served.url).port;
  }

  get origin(): string {
    return `http://localhost:${this.port}`;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { cookie: this.cookie, ...(init.headers as Record<string, string>) };
    const response = await fetch(`http://127.0.0.1:${this.port}/account${path}`, { ...init, headers });
    const set = response.headers.get('set-cookie');
    if (set !== null) this.cookie = set.split(';', 1)[0]!;
    return response;
  }

  async post<T = Record<string, never>>(path: string, body: unknown, origin = this.origin): Promise<PageResponse<T>> {
    const init = { method: 'POST', headers: { origin, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await this.fetch(path, init);
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  }

  async state(): Promise<PageState> {
    return (await (await this.fetch('/state')).json()) as PageState;
  }

  async begin(name: string, code?: string): Promise<PageResponse<Parameters<typeof makePasskey>[0]>> {
    return this.post('/sign-up/options', { name, email: `${name}@example.org`, code: code ?? (await this.relay.invite()) });
  }

  async signUp(name: string, options: Partial<AnswerOptions> = {}): Promise<PageResponse<{ ticket: NewTicket }>> {
    const { body } = await this.begin(name);
    const { made, answer } = makePasskey(body, { origin: this.origin, ...options });
    this.passkey = made;
    return this.post('/sign-up', { passkey: answer });
  }

  /** The ticket of a new account. */
  async joined(name: string): Promise<string> {
    const { status, body } = await this.signUp(name);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.ticket.code;
  }

  async assertion(options: Partial<AnswerOptions> = {}, passkey = this.passkey) {
    const { body } = await this.post<Parameters<typeof signWithPasskey>[1]>('/sign-in/options', {});
    return signWithPasskey(passkey, body, { origin: this.origin, ...options });
  }

  async signIn(options: Partial<AnswerOptions> = {}): Promise<PageResponse<object>> {
    return this.post('/sign-in', { passkey: await this.assertion(options) });
  }
}
