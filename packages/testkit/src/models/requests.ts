// A request to a model, read from any of the three wire forms, so that a script need not know the form.

import type { IncomingHttpHeaders } from 'node:http';
import type { ModelApi } from './wire.ts';

export interface ModelCall {
  api: ModelApi;
  model: string;
  /** The system prompt. */
  system: string;
  /** The messages it got, in order, its own words left out. */
  told: { kind: 'user' | 'tool'; text: string }[];
  /** How many calls of tools it has made so far. */
  called: number;
  /** Names of the tools it may call. */
  tools: string[];
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

type Json = Record<string, unknown>;
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Text, wherever it stands in a content. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  const { text, content } = value as Json;
  return typeof text === 'string' ? text : textOf(content);
}

export function readAsked(api: ModelApi, headers: IncomingHttpHeaders, raw: string): ModelCall {
  const body = JSON.parse(raw) as Json;
  const names = list(body['tools']).map((tool) => String(tool['name'] ?? (tool['function'] as Json)['name']));
  const head = { api, model: String(body['model']), tools: names, headers, body };
  return { ...head, ...{ messages: ofMessages, responses: ofResponses, chat: ofChat }[api](body) };
}

type Read = Pick<ModelCall, 'system' | 'told' | 'called'>;

function ofMessages(body: Json): Read {
  const parts = list(body['messages']).flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)).map((part) => ({ role, part })),
  );
  return {
    system: textOf(body['system']),
    told: parts.flatMap(({ role, part }): ModelCall['told'] => {
      if (part['type'] === 'tool_result') return [{ kind: 'tool', text: textOf(part['content']) }];
      return role === 'user' ? [{ kind: 'user', text: textOf(part) }] : [];
    }),
    called: parts.filter(({ part }) => part['type'] === 'tool_use').length,
  };
}

function ofResponses(body: Json): Read {
  const items = list(body['input']);
  return {
    system: items.flatMap(({ role, content }) => (role === 'system' || role === 'developer' ? [textOf(content)] : [])).join('\n'),
    told: items.flatMap((item): ModelCall['told'] => {
      if (item['type'] === 'function_call_output') return [{ kind: 'tool', text: textOf(item['output']) }];
      return item['role'] === 'user' ? [{ kind: 'user', text: textOf(item['content']) }] : [];
    }),
    called: items.filter((item) => item['type'] === 'function_call').length,
  };
}

function ofChat(body: Json): Read {
  const all = list(body['messages']);
  return {
    system: all.flatMap(({ role, content }) => (role === 'system' ? [textOf(content)] : [])).join('\n'),
    told: all.flatMap(({ role, content }): ModelCall['told'] =>
      role === 'user' || role === 'tool' ? [{ kind: role, text: textOf(content) }] : [],
    ),
    called: all.flatMap((message) => list(message['tool_calls'])).length,
  };
}
