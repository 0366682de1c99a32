// An action that is a signed POST to an address which the person configured. A packet never names an address.

import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { badInput, PeerCallError } from '@parley/protocol';
import type { ConfiguredAction } from './configured-actions.ts';
import { type ActionCall, type ActionHandler, ActionRefused } from './port.ts';

const timeoutMs = 30_000;
const mostAnswerBytes = 64_000;

export function webhook({ run, undo, secret }: ConfiguredAction, fetch: typeof globalThis.fetch): ActionHandler {
  const send = (url: string, call: ActionCall, isUndo: boolean): Promise<void> => post(fetch, { url, secret, call, isUndo });
  return {
    isRemote: true,
    run: (call) => send(run, call, false),
    ...(undo === null ? {} : { undo: (call: ActionCall) => send(undo, call, true) }),
  };
}

interface Post {
  url: string;
  secret: string;
  call: ActionCall;
  isUndo: boolean;
}

/** 4xx: the server did nothing. Other failures leave open whether it did. */
async function post(fetch: typeof globalThis.fetch, { url, secret, call, isUndo }: Post): Promise<void> {
  const { key, threadId, peer, action, summary, details, now } = call;
  const body = JSON.stringify({ action: action.action, undo: isUndo, key, thread_id: threadId, peer, summary, details });
  const response = await reach(fetch, url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'parley-action/1',
      'idempotency-key': `${key}${isUndo ? '-undo' : ''}`,
      'parley-signature': `t=${now},v1=${bytesToHex(hmac(sha256, utf8ToBytes(secret), utf8ToBytes(`${now}.${body}`)))}`,
    },
    body,
  });
  const text = await textOf(response);
  if (response.ok) return;
  const problem = constraintIn(text) ?? `${action.action} was refused (${response.status})`;
  if (response.status >= 300 && response.status < 500) throw new ActionRefused(problem);
  throw new Error(`${new URL(url).host} answered ${response.status} for ${action.action}.`);
}

const unreached = new Set(['ECONNREFUSED', 'ENOTFOUND']);

/** A request that never left changed nothing: no such host, nobody listens, or the hub lets nobody call that address. */
async function reach(fetch: typeof globalThis.fetch, url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if ((error instanceof PeerCallError && error.code === 'refused') || unreached.has(cause?.code ?? ''))
      throw new ActionRefused(`${new URL(url).host} cannot be reached`);
    throw error;
  }
}

/** Only words that the server meant for both people: `{"constraint": "Fully booked at 19:00"}`. */
function constraintIn(text: string): string | undefined {
  try {
    const { constraint } = JSON.parse(text) as { constraint?: unknown };
    return typeof constraint === 'string' && constraint.trim() !== '' ? constraint : undefined;
  } catch {
    return undefined;
  }
}

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (!body) return text;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > mostAnswerBytes) throw new Error(`The webhook’s answer is longer than ${mostAnswerBytes} bytes.`);
  }
  return text;
}

const isLocal = ({ hostname }: URL): boolean => hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';

/** Words of a negotiation must not cross a network in the clear. */
export function mustBeWebhook(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && url.username === '' && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url)))) return;
  throw badInput(
    `A webhook needs an address that begins with https:// and has no password in it; this one is ${JSON.stringify(text.slice(0, 200))}.`,
  );
}
