// The two calls that the page makes: open the link, answer it. The key stays in the browser: it is in no request.

import {
  type LinkAnswer,
  linkNonceBytes,
  type LinkRequest,
  openFromLink,
  readBase64Url,
  sealForLink,
  writeBase64Url,
} from '@parley/core/sealed-request';

export class CallError extends Error {
  readonly code: string;
  readonly reason: string | undefined;

  constructor(code: string, message: string, reason: string | undefined) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

interface WireError {
  error?: { code: string; message: string; reason?: string };
}

const random = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length));

export class OpenLink {
  readonly #id: string;
  readonly #key: Uint8Array<ArrayBuffer>;

  constructor(id: string, key: string) {
    this.#id = id;
    this.#key = readBase64Url(key);
  }

  async open(): Promise<LinkRequest> {
    const { sealed } = (await this.#call('open', { opener: this.#opener() })) as { sealed: string };
    return (await openFromLink(this.#seal(), 'request', sealed)) as LinkRequest;
  }

  async answer(answer: LinkAnswer): Promise<void> {
    const sealed = await sealForLink(this.#seal(), 'answer', answer, random(linkNonceBytes));
    await this.#call('answer', { opener: this.#opener(), sealed });
  }

  #seal() {
    return { subtle: crypto.subtle, key: this.#key, linkId: this.#id };
  }

  /** So that the same page may ask again after a reload, and nobody else may. */
  #opener(): string {
    const name = `request ${this.#id}`;
    const known = sessionStorage.getItem(name) ?? writeBase64Url(random(16));
    sessionStorage.setItem(name, known);
    return known;
  }

  async #call(act: 'open' | 'answer', body: object): Promise<unknown> {
    const response = await fetch(`/api/v1/request-links/${this.#id}/${act}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
    });
    const value = (await response.json()) as WireError;
    if (value.error) throw new CallError(value.error.code, value.error.message, value.error.reason);
    return value;
  }
}
