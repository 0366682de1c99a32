// The steps that a model can take, as tools, and their translation into a brain's move. A model names fields, never their values,
// and has no words for recipients, tiers, actions or confirmations: such members are dropped and counted.

import { inLine } from '@parley/core';
import { mostNeeds, needPriorities } from '@parley/protocol/relay';
import { z } from 'zod';
import type { BrainMove, BrainView } from '../negotiate/peer-brain.ts';
import { withAnswers } from '../negotiate/rules-brain.ts';
import { type ProposedMeeting, proposedMeeting } from '../negotiate/meetings/proposed-meeting.ts';
import { mayPropose } from './model-task.ts';

export interface StepCall {
  name: string;
  input: unknown;
  /** Its arguments are no JSON. */
  broken?: true;
}

export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema. */
  input: Record<string, unknown>;
}

export interface ModelStep {
  move: BrainMove;
  confidence: number;
  /** Names of what the model wanted and may not. */
  dropped: string[];
}

const text = (most: number, about: string) => z.string().trim().min(1).max(most).describe(about);
const confidence = z.number().min(0).max(1).describe('how sure you are that the person would agree');
const time = (about: string) =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/, 'must be a time with its offset, such as 2026-11-20T18:00+01:00')
    .describe(about);

const SendContext = z.object({
  share: z.array(z.string().max(64)).max(50).default([]).describe('names of fields of may_share'),
  ask: z
    .array(
      z.object({
        field: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
        reason: text(300, 'why it helps, for their person'),
        priority: z.enum(needPriorities),
      }),
    )
    .default([])
    .describe(`at most ${mostNeeds} fields that you need from them`),
  message: text(500, 'words for the other agent').optional(),
  escalate: z.object({ reason: text(500, 'what was tried'), question: text(300, 'what the people decide') }).optional(),
  confidence,
});

const Propose = z.object({
  event: text(40, 'such as dinner, call or meeting'),
  start: time('such as 2026-11-20T18:00+01:00, on a quarter of an hour'),
  end: time('the same for the end'),
  place: text(120, 'where, if it is known').optional(),
  reasoning: text(1000, 'why this suits both'),
  alternatives: z
    .array(z.object({ start: time('as above'), end: time('as above'), reason: text(200, 'why it would do as well') }))
    .max(3)
    .default([]),
  confidence,
});

const Wait = z.object({ confidence });

const schemas = { send_context: SendContext, propose: Propose, wait: Wait };
type StepName = keyof typeof schemas;

const descriptions: Record<StepName, string> = {
  send_context: 'Send fields of the person, ask for fields, or put the matter to both people.',
  propose: 'Propose a time that suits both. Both people decide about it.',
  wait: 'Do nothing until the peer or the person acts.',
};

export const toolsFor = (view: BrainView): ModelTool[] =>
  stepNames
    .filter((name) => name !== 'propose' || mayPropose(view))
    .map((name) => ({
      name,
      description: descriptions[name],
      input: z.toJSONSchema(schemas[name], { io: 'input' }) as ModelTool['input'],
    }));

const stepNames = Object.keys(schemas) as StepName[];

/** The step of the first call that names one. `problem`: why there is none, in words for the model. */
export function readStep(view: BrainView, calls: readonly StepCall[]): ModelStep | { problem: string } {
  const known = calls.find(({ name }) => stepNames.includes(name as StepName));
  const others = calls.filter((call) => call !== known).map(({ name }) => name);
  if (!known)
    return {
      problem: `Call one of these tools: ${toolsFor(view)
        .map(({ name }) => name)
        .join(', ')}.`,
    };
  const name = known.name as StepName;
  const read = schemas[name].safeParse(known.broken ? undefined : known.input);
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    return { problem: `The arguments of ${name} are not valid: ${path.length > 0 ? `${path.join('.')} ` : ''}${message}.` };
  }
  const unknown = Object.keys(known.input as object).filter((member) => !(member in schemas[name].shape));
  const step = translate(view, name, read.data);
  return 'problem' in step ? step : { ...step, dropped: [...others, ...unknown, ...step.dropped], confidence: read.data.confidence };
}

type Translation = Omit<ModelStep, 'confidence'> | { problem: string };

function translate(view: BrainView, name: StepName, input: unknown): Translation {
  if (name === 'propose') return proposal(view, input as z.output<typeof Propose>);
  return name === 'send_context' ? context(view, input as z.output<typeof SendContext>) : { move: waiting(view), dropped: [] };
}

/** What the peer asked for goes out all the same. */
const waiting = ({ answers }: BrainView): BrainMove =>
  answers ? { kind: 'send', type: 'context_response', content: { ...answers } } : { kind: 'wait' };

function context(view: BrainView, { share, ask, message, escalate }: z.output<typeof SendContext>): Translation {
  const { visible, answers, intent, wanted, isFirst, expected, received, unavailable } = view;
  const shared = [...new Set(share)].filter((field) => Object.hasOwn(visible, field));
  const isNew = ({ field }: { field: string }): boolean => !Object.hasOwn(received, field) && !unavailable.includes(field);
  const asked = [...wanted.filter(() => isFirst), ...ask.filter(isNew)];
  const needs = asked.filter(({ field }, place) => asked.findIndex((one) => one.field === field) === place);
  const values = {
    ...(isFirst ? expected : {}),
    ...Object.fromEntries(shared.map((field) => [field, visible[field]!])),
    ...(message === undefined ? {} : { message }),
  };
  const dropped = [...share.filter((field) => !Object.hasOwn(visible, field)), ...needs.slice(mostNeeds).map(({ field }) => field)];
  const hasContent = Object.keys(values).length > 0 || needs.length > 0 || escalate !== undefined;
  if (!hasContent && !isFirst) {
    if (answers) return { move: waiting(view), dropped };
    return { problem: 'Your step says and asks nothing new. Call wait, or propose.' };
  }
  return {
    dropped,
    move: {
      kind: 'send',
      type: !isFirst && needs.length > 0 ? 'context_request' : 'context',
      content: {
        ...answers,
        ...(isFirst ? { intent } : {}),
        ...(Object.keys(values).length > 0 || isFirst ? { context: values } : {}),
        ...(needs.length > 0 ? { needs: needs.slice(0, mostNeeds) } : {}),
        ...(escalate
          ? { escalation: { recommend: 'surface_to_users', reason: escalate.reason, suggested_prompt: escalate.question } }
          : {}),
      },
    },
  };
}

/** The host writes the summary from the same times as the details, so that people confirm what is done. */
function proposal(view: BrainView, { event, start, end, place, reasoning, alternatives }: z.output<typeof Propose>): Translation {
  if (!mayPropose(view)) return { problem: 'You cannot propose now. Call send_context or wait.' };
  const window = (one: { start: string; end: string }) => ({ from: Date.parse(one.start), to: Date.parse(one.end) });
  const wanted: ProposedMeeting = {
    event: inLine(event),
    window: window({ start, end }),
    place: place === undefined ? undefined : inLine(place),
    reasoning,
    alternatives: alternatives.map((one) => ({ window: window(one), reason: one.reason })),
  };
  const proposed = proposedMeeting(view, wanted);
  return 'problem' in proposed ? proposed : { move: withAnswers(proposed.move, view), dropped: proposed.dropped };
}
