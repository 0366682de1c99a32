// One attempt of an invocation (PRV-12, PRV-13). The model gets the manifest's settings, the manifest's tools and the event
// as somebody else's words; its steps and its time are counted here, where nothing it says changes them. The attempt knows
// no table: its runner writes the steps down.

import { assemble, inLine, msOf, shortenText, type Tokens } from '@parley/core';
import type { AttemptEnd, OutputVerdict, CompiledManifest } from '@parley/core/provoke';
import { type EventSender, type Manifest, type PapEvent, ParleyError } from '@parley/protocol';
import { randomBytes, createHash } from 'node:crypto';
import type { BrainTurn, Tool } from '../brains/brain.ts';
import type { KeyFor } from '../brains/model/provider.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import type { Clock } from '../clock.ts';
import { abandonOnAbort } from '../waiting.ts';
import type { McpClients } from '../tools/mcp-clients.ts';
import { AttemptError, think } from './model-loop.ts';
import { plainWords } from './plain-event-text.ts';
import type { Matcher } from '../regex/matcher.ts';

export interface Attempt {
  invocationId: string;
  triggerId: string;
  manifest: Manifest;
  event: PapEvent;
  /** The sender of the event, whatever the event calls its source. */
  sender: EventSender;
  /** The handle of the member as whom it runs (SYS-9). */
  owner: string;
  /** The attempt was taken away: everything was stopped, the hub goes down, or somebody else has it. */
  signal: AbortSignal;
}

export interface AttemptServices {
  servers: Pick<McpClients, 'tools' | 'call'>;
  keyFor: KeyFor;
  outbound: Outbound;
  clock: Clock;
  /** Whether a text fits the manifest's output. */
  judge: (text: string) => Promise<OutputVerdict>;
  /** Each call of the model and of a tool, written down before and after. */
  step: BrainTurn['step'];
  /** Reserves the cost of the model call in progress. Throws if the budget does not have it. */
  reserve: BrainTurn['reserve'];
}

export interface Usage {
  toolCalls: number;
  micros: number;
  tokens: Tokens;
}

export type FailedEnd = Exclude<AttemptEnd, 'succeeded' | 'denied'>;

export type AttemptResult =
  | { ok: true; output: unknown; usage: Usage }
  /** `error`: in the platform's words, besides the names of what does not fit; one line, of an end. */
  | { ok: false; end: FailedEnd; error: string; usage: Usage };

/** The author of an unfit value chooses its name, as long as they like. */
const longestName = 200;
const longestError = 2000;

/** Rejects only when the attempt was taken away, or could not be written down. */
export async function runAttempt(attempt: Attempt, services: AttemptServices): Promise<AttemptResult> {
  const usage: Usage = { toolCalls: 0, micros: 0, tokens: { input: 0, output: 0, cached: 0 } };
  const seconds = attempt.manifest.limits.max_runtime_seconds;
  const timeout = new AbortController();
  const cancel = services.clock.after(msOf(seconds), () => timeout.abort(new Error('too late')));
  const signal = AbortSignal.any([attempt.signal, timeout.signal]);
  const failed = (end: FailedEnd, error: string): AttemptResult => ({
    ok: false,
    end,
    error: shortenText(inLine(error), longestError),
    usage,
  });
  try {
    // A call that ignores the signal is not waited for.
    const output = await abandonOnAbort(outputOf(attempt, services, usage, signal), signal);
    return { ok: true, output, usage };
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (timeout.signal.aborted) return failed('timed_out', `It ran longer than ${seconds} seconds.`);
    if (error instanceof AttemptError) return failed(error.end, error.message);
    // This refusal of a step is about the invocation itself; all others are about its runner.
    if (error instanceof ParleyError && error.code === 'budget_exhausted') return failed('failed', 'Budget exhausted.');
    throw error;
  } finally {
    cancel();
    // The rest of it is not wanted.
    timeout.abort(new Error('over'));
  }
}

async function outputOf(attempt: Attempt, services: AttemptServices, usage: Usage, signal: AbortSignal): Promise<unknown> {
  const { manifest, event, sender } = attempt;
  const text =
    manifest.model.provider === 'builtin'
      ? plainWords(event, sender, manifest.output)
      : await think(
          { manifest, model: manifest.model, prompt: promptOf(attempt), tools: await toolsOf(manifest, services.servers) },
          { ...services, usage, signal },
        );
  const judged = await services.judge(text);
  if (judged.ok) return judged.value;
  const problems = judged.problems.map(({ field, message }) => `${shortenText(field, longestName)} ${message}`).join('; ');
  throw new AttemptError('bad_output', `Its output does not fit its schema: ${problems}`);
}

/** The event is somebody else's words, whatever its sender: it is in a block, and nothing of it outside (C2A-29). */
function promptOf({ invocationId, triggerId, manifest, event, owner }: Attempt) {
  const about = { invocation: invocationId, trigger: triggerId, agent: manifest.id, owner: `@${owner}` };
  const text = JSON.stringify(event, null, 2);
  return assemble(about, [{ source: invocationId, kind: 'event', by: null, text }], randomBytes(18).toString('base64url'));
}

// Whether what an invocation said fits its schema. Patterns of a schema are patterns of others: where one is asked, the whole
// check is a matter of the thread that can be stopped.

const tooSlow: OutputVerdict = { ok: false, problems: [{ field: '(output)', message: 'takes too long to be checked against its schema' }] };

/** `owner`: whose time it is. */
export const outputJudge =
  (matcher: Matcher, { manifest, judge }: CompiledManifest, owner: string): ((text: string) => Promise<OutputVerdict>) =>
  async (text) => {
    let hasAsked = false;
    const judged = judge(text, { holds: () => (hasAsked = true) });
    if (!hasAsked) return judged;
    const [answer] = await matcher.ask(owner, [{ kind: 'judge', output: JSON.stringify(manifest.output), text }]);
    return answer!.tooSlow ? tooSlow : (answer!.value as OutputVerdict);
  };

// The tools a manifest lists, from the servers it names, and no others (PRV-12). As a model calls them: by the name the
// manifest has for them, where a provider takes it.

export const serverOf = (source: string): string => source.slice('mcp://'.length);

/** Providers allow only these characters and this length in the name of a tool. */
function toolNameFor(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (plain === name && plain.length <= 64) return plain;
  return `${plain.slice(0, 57)}_${createHash('sha256').update(name).digest('hex').slice(0, 6)}`;
}

/** A missing tool fails the attempt, because the agent would differ from the one that its author defined. */
async function toolsOf({ tools }: Manifest, servers: Pick<McpClients, 'tools' | 'call'>): Promise<Tool[]> {
  const found = await servers.tools(tools.map(({ source, name }) => `${source}/${name}`));
  return tools.map(({ name, source, risk_override }): Tool => {
    const server = serverOf(source);
    const one = found.find((offered) => offered.server === server && offered.tool.name === name);
    if (!one) throw new AttemptError('failed', `The tool ${name} of ${source} cannot be reached.`);
    // The output goes to an event, a webhook or a record, whose readers nobody knows beforehand (SYS-6).
    if (one.owner !== undefined)
      throw new AttemptError('failed', `The tool ${name} of ${source} returns one person’s own data, which triggers do not get.`);
    return {
      name: toolNameFor(name),
      description: one.tool.description,
      input: one.tool.input,
      // The author of the manifest, or of the server's config, has said that it changes nothing.
      readOnly: one.access === 'read' || risk_override === 'read_only',
      keyed: false,
      run: async (input, { signal }) => {
        const { text, isError } = await servers.call(server, name, input, signal);
        return { text, ...(isError ? { isError } : {}) };
      },
    };
  });
}
