// The providers' own forms of a streamed answer: Anthropic's Messages, OpenAI's Responses, and the Chat Completions that
// compatible servers speak.

export type ModelApi = 'messages' | 'responses' | 'chat';

export interface Words {
  text?: string;
  calls?: { name: string; input: unknown; /** Sent as the arguments, whether they are JSON or not. */ raw?: string }[];
  /** Tokens; left out, a few. */
  usage?: { input: number; output: number };
  /** Half of it is said before this, half after. */
  pause?: Promise<unknown>;
}

export function apiOf(url: string): ModelApi | undefined {
  const { pathname } = new URL(url, 'http://localhost');
  if (pathname.endsWith('/messages')) return 'messages';
  if (pathname.endsWith('/responses')) return 'responses';
  return pathname.endsWith('/chat/completions') ? 'chat' : undefined;
}

export function errorBody(api: ModelApi, status: number): string {
  const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'api_error' : 'invalid_request_error';
  const error = { type, message: `The server says ${status}` };
  return JSON.stringify(api === 'messages' ? { type: 'error', error } : { error: { ...error, code: null, param: null } });
}

/** A few letters at a time, as models speak. */
const pieces = (text: string): string[] => text.match(/.{1,24}/gsu) ?? [];

let count = 0;
const id = (prefix: string): string => `${prefix}_${String(++count).padStart(8, '0')}`;

interface Call {
  id: string;
  name: string;
  args: string;
}

export function streamOf(api: ModelApi, model: string, words: Words): string[] {
  const calls = (words.calls ?? []).map(({ name, input, raw }): Call => ({ id: id('call'), name, args: raw ?? JSON.stringify(input) }));
  const reply = { text: words.text ?? '', calls, usage: words.usage ?? { input: 20, output: 10 } };
  return { messages, responses, chat }[api](model, reply);
}

type Said = { text: string; calls: Call[]; usage: { input: number; output: number } };

const event = (data: { type: string } & Record<string, unknown>): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

function messages(model: string, { text, calls, usage }: Said): string[] {
  const block = (index: number, content_block: object, deltas: object[]): string[] => [
    event({ type: 'content_block_start', index, content_block }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ];
  const texts = text === '' ? [] : [text];
  return [
    event({
      type: 'message_start',
      message: {
        id: id('msg'),
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: usage.input, output_tokens: 1 },
      },
    }),
    event({ type: 'ping' }),
    ...texts.flatMap((one) =>
      block(
        0,
        { type: 'text', text: '' },
        pieces(one).map((piece) => ({ type: 'text_delta', text: piece })),
      ),
    ),
    ...calls.flatMap((call, at) =>
      block(
        texts.length + at,
        { type: 'tool_use', id: call.id, name: call.name, input: {} },
        pieces(call.args).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      ),
    ),
    event({
      type: 'message_delta',
      delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    event({ type: 'message_stop' }),
  ];
}

function responses(model: string, { text, calls, usage }: Said): string[] {
  const response = { id: id('resp'), object: 'response', created_at: 1_767_225_600, model };
  const frames: string[] = [event({ type: 'response.created', response: { ...response, status: 'in_progress' } })];
  let output_index = 0;
  if (text !== '') {
    const item = { type: 'message', id: id('msg'), role: 'assistant' };
    frames.push(
      event({ type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } }),
      ...pieces(text).map((delta) =>
        event({ type: 'response.output_text.delta', item_id: item.id, output_index, content_index: 0, delta }),
      ),
      event({
        type: 'response.output_item.done',
        output_index,
        item: { ...item, status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] },
      }),
    );
    output_index++;
  }
  for (const { id: call_id, name, args } of calls) {
    const item = { type: 'function_call', id: id('fc'), call_id, name };
    frames.push(
      event({ type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', arguments: '' } }),
      ...pieces(args).map((delta) => event({ type: 'response.function_call_arguments.delta', item_id: item.id, output_index, delta })),
      event({ type: 'response.function_call_arguments.done', item_id: item.id, output_index, arguments: args }),
      event({ type: 'response.output_item.done', output_index, item: { ...item, status: 'completed', arguments: args } }),
    );
    output_index++;
  }
  const usageFields = {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  };
  frames.push(event({ type: 'response.completed', response: { ...response, status: 'completed', usage: usageFields } }));
  return frames;
}

function chat(model: string, { text, calls, usage }: Said): string[] {
  const head = { id: id('chatcmpl'), object: 'chat.completion.chunk', created: 1_767_225_600, model };
  const data = (more: object): string => `data: ${JSON.stringify({ ...head, ...more })}\n\n`;
  const delta = (one: object, finish_reason: string | null = null): string => data({ choices: [{ index: 0, delta: one, finish_reason }] });
  return [
    delta({ role: 'assistant', content: '' }),
    ...pieces(text).map((content) => delta({ content })),
    ...calls.flatMap((call, index) => [
      delta({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
      ...pieces(call.args).map((args) => delta({ tool_calls: [{ index, function: { arguments: args } }] })),
    ]),
    delta({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    data({ choices: [], usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output } }),
    'data: [DONE]\n\n',
  ];
}
