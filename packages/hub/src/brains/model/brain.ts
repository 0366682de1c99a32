// Agents that think with a model. The loop is the hub's own: each call of the model and of a tool is a step in the turn's
// journal, so that a turn that is taken up again goes on where it was, and pays for nothing twice.

import { failureText, reachesUnasked } from '@parley/core';
import type { BrainConfig, ModelConfig } from '@parley/protocol';
import { modelState } from '../../agents/agent-problems.ts';
import { identityOf, type RunIdentity } from '../../agents/identity.ts';
import type { SecretStore } from '../../agents/secrets.ts';
import type { Clock } from '../../clock.ts';
import type { Outbound } from '../../outbound/guarded-fetch.ts';
import type { Store } from '../../store/port.ts';
import { type Brain, BrainError, type TurnOutcome, type BrainTurn, type ToolsFor } from '../brain.ts';
import type { ModelQuestion } from './ask-models.ts';
import type { ModelToolCall } from './call.ts';
import { converse, estimate, type Thinker } from './conversation.ts';
import { limitsOf } from './limits.ts';
import { type Hands, makeCall } from './tools.ts';
import { endings, postableText, systemPrompt, toolBlock, toolsByName } from './system-prompt.ts';

export interface ModelBrainParts {
  store: Store;
  keys: SecretStore;
  outbound: Outbound;
  clock: Clock;
  toolsFor: ToolsFor;
}

type Configured = Extract<BrainConfig, { kind: 'model' }>;

/** The length of input that an estimate before the turn assumes; most inputs are shorter. */
const usualLetters = 12_000;

const modelsOf = (brain: Configured): ModelConfig[] => [brain, ...(brain.fallback ? [brain.fallback] : [])];

export class ModelBrain implements Brain {
  private readonly parts: ModelBrainParts;

  constructor(parts: ModelBrainParts) {
    this.parts = parts;
  }

  private async configured(agentId: string): Promise<{ identity: RunIdentity; brain: Configured } | undefined> {
    const identity = await identityOf(this.parts.store, agentId);
    return identity.brain.kind === 'model' ? { identity, brain: identity.brain } : undefined;
  }

  async estimate(agentId: string): Promise<number> {
    const configured = await this.configured(agentId);
    return configured ? estimate({ system: ' '.repeat(usualLetters), messages: [] }, modelsOf(configured.brain)) : 0;
  }

  async isAble(agentId: string): Promise<boolean> {
    const configured = await this.configured(agentId);
    if (!configured) return false;
    const { needsKey, problem } = await modelState(this.parts, configured.brain);
    return needsKey === null && problem === null;
  }

  async turn(turn: BrainTurn): Promise<TurnOutcome> {
    const configured = await this.configured(turn.me.id);
    if (!configured) throw new BrainError(failureText('parley', { class: 'no_model' }));
    const { identity, brain } = configured;
    const prompt = turn.prompt();
    const limits = limitsOf(brain);
    const hands: Hands = { turn, tools: toolsByName(await this.parts.toolsFor(turn)), limits, mark: prompt.mark };
    const made = await approvedFirst(turn.approved, hands);
    const reaching = [...hands.tools.values()].filter((tool) => reachesUnasked(tool, identity.mode)).map(({ name }) => name);
    const question: ModelQuestion = {
      system: systemPrompt(identity.instructions, await turn.notes(identity.memory, reaching), prompt, turn.me.handle),
      messages: [{ role: 'user', content: [prompt.user, ...made].join('\n') }],
      tools: [...hands.tools.values(), ...endings],
    };
    // Words beside a call are words: where none come after them, they are its answer (C2A-13).
    let unsaid = '';
    let steps = 0;
    const { clock, keys, outbound } = this.parts;
    const thinker: Thinker = {
      models: modelsOf(brain),
      hands,
      clock,
      keyFor: (name, host) => keys.keyFor(name, host),
      outbound,
      reserve: (micros) => turn.reserve(micros),
      draft: (text) => turn.draft(postableText(text)),
      endings,
    };
    return converse(question, thinker, (answer): TurnOutcome | undefined => {
      if ('failed' in answer) {
        if (unsaid === '') throw new BrainError(answer.failed, answer.failure);
        return { kind: 'answer', text: answer.isEmpty ? unsaid : postableText(`${unsaid}\n\n(Then it failed: ${answer.failed}.)`) };
      }
      const { text, calls } = answer.said;
      if (calls.length === 0) return { kind: 'answer', text: postableText(text) };
      const words = postableText(text).trim();
      if (words !== '') unsaid = words;
      const end = endingOf(calls, words);
      if (end || ++steps < limits.steps) return end;
      const tooMany = `It reached its limit of ${limits.steps} steps`;
      if (unsaid === '') throw new BrainError(tooMany);
      return { kind: 'answer', text: postableText(`${unsaid}\n\n(${tooMany}.)`) };
    });
  }
}

/** An approved call is made before the model thinks again. */
async function approvedFirst(approved: BrainTurn['approved'], hands: Hands): Promise<string[]> {
  const made: string[] = [];
  for (const { id, name, input } of approved)
    made.push(
      toolBlock(
        name,
        `A person approved this call, and the hub made it for you: ${JSON.stringify(input)}\n${await makeCall({ id, name, input }, hands)}`,
        hands.mark,
      ),
    );
  return made;
}

const fieldOf = ({ input }: ModelToolCall, name: string): unknown =>
  typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[name] : undefined;

const longestReason = 2000;

/** The end that the model chose for its turn; undefined if it chose none or was not understood. */
function endingOf(calls: readonly ModelToolCall[], words: string): TurnOutcome | undefined {
  const inputText = (call: ModelToolCall | undefined, name: string, most?: number): string | undefined => {
    const value = call && fieldOf(call, name);
    return typeof value === 'string' && value.trim() !== '' ? postableText(value, most) : undefined;
  };
  const refusal = calls.find(({ name }) => name === 'decline');
  const reason = inputText(refusal, 'reason', longestReason);
  const whole = (text: string, most?: number): string =>
    words === '' || text.includes(words) ? text : postableText(`${words}\n\n${text}`, most);
  if (reason !== undefined)
    return {
      kind: 'decline',
      outcome: fieldOf(refusal!, 'blocked') === true ? 'blocked' : 'declined',
      reason: whole(reason, longestReason),
    };
  const question = inputText(
    calls.find(({ name }) => name === 'ask_requester'),
    'question',
  );
  return question === undefined ? undefined : { kind: 'question', text: whole(question) };
}
