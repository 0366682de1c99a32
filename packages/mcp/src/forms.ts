// Prompts as forms of MCP's elicitation: flat, with one question for each thing to decide. The client shows them to its person.

import { windowRows } from '@parley/core';
import { badInput, type ConsentCard, type ExpansionCard, type PromptAnswer, type ProposalCard, toOneLine } from '@parley/protocol';

type ConsentAnswers = Extract<PromptAnswer, { kind: 'consent' }>['fields'];
export type ProposalAnswer = Extract<PromptAnswer, { kind: 'confirm' | 'different' | 'excuse' | 'decline' }>;

type Question =
  | { type: 'string'; title: string; description?: string; oneOf: { const: string; title: string }[]; default?: string }
  | { type: 'string'; title: string; description?: string; maxLength: number; default?: string };

export interface Form {
  message: string;
  requestedSchema: { type: 'object'; properties: Record<string, Question>; required: string[] };
}

/** A field's name has no colon, so no other field is called so. */
const valueKey = (field: string): string => `${field}:value`;
export const mostLetters = 500;

/** Makes texts of others one line, which cannot move a cursor or reverse the text. */
const printable = (text: unknown): string => toOneLine(typeof text === 'string' ? text : (JSON.stringify(text) ?? ''));
const shortLine = (text: unknown): string => printable(text).slice(0, mostLetters);

/** The person's own value in full, because they read it before they share it. */
function ownValue(value: unknown): string {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const rows = Array.isArray(value) ? windowRows(value, zone) : undefined;
  if (rows) return `${rows.join('; ')} (${zone})`;
  const isList = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
  return printable(isList ? value.join(', ') : value);
}

const consentChoices = [
  { const: 'share', title: 'Share this time' },
  { const: 'always', title: 'Always share with them' },
  { const: 'decline', title: 'Decline' },
];

/** `suggested` holds the model's answers. The form preselects them, and the person decides. */
export function consentForm({ peer, intent, fields }: Pick<ConsentCard, 'peer' | 'intent' | 'fields'>, suggested: ConsentAnswers): Form {
  const questions = fields.flatMap(({ field, reason, value, choices }): [string, Question][] => {
    const suggestion = suggested.find((one) => one.field === field);
    const why = reason === null ? '' : ` They say: “${shortLine(reason)}”`;
    const selected = suggestion?.answer ?? (value === null ? 'decline' : 'share');
    const shares = value === null ? 'Your peer knows no value.' : `Would share: ${ownValue(value)}.`;
    const answer: Question = { type: 'string', title: field, description: `${shares}${why}`, oneOf: consentChoices, default: selected };
    const hint = choices.length === 0 ? '' : ` Perhaps: ${shortLine(choices.map(printable).join(', '))}`;
    const other: Question = {
      type: 'string',
      title: `${field}: value to share`,
      description: `Your words.${hint}`,
      maxLength: mostLetters,
    };
    return value === null
      ? [
          [field, answer],
          [valueKey(field), other],
        ]
      : [[field, answer]];
  });
  return {
    message: `${peer} asks for ${fields.map(({ field }) => field).join(', ')}. It is about: “${shortLine(intent)}”`,
    requestedSchema: { type: 'object', properties: Object.fromEntries(questions), required: fields.map(({ field }) => field) },
  };
}

/** The peer refuses fields that it did not ask for; this only reads the form. */
export function consentIn(content: Readonly<Record<string, unknown>>): ConsentAnswers {
  return Object.entries(content).flatMap(([field, answer]) => {
    if (field.endsWith(':value')) return [];
    if (answer !== 'share' && answer !== 'always' && answer !== 'decline')
      throw badInput(`${field}: ${shortLine(answer)} is none of share, always and decline.`);
    const written = content[valueKey(field)];
    return [{ field, answer, ...(answer !== 'decline' && typeof written === 'string' && written !== '' ? { value: written } : {}) }];
  });
}

const proposalChoices = [
  { const: 'confirm', title: 'Confirm' },
  { const: 'different', title: 'Suggest something different' },
  { const: 'excuse', title: 'Decline this time with an excuse' },
  { const: 'decline', title: 'End the negotiation' },
];

export function proposalForm(
  { peer, summary, reasoning, details, actions }: Pick<ProposalCard, 'peer' | 'summary' | 'reasoning' | 'details' | 'actions'>,
  suggested: ProposalAnswer | undefined,
): Form {
  const does = actions.map(({ text, reversible }) => `${shortLine(text)}${reversible ? '' : ' (cannot be undone)'}`);
  const lines = [
    `The peers propose, with ${peer}: “${shortLine(summary)}”`,
    // A calendar gets these, whatever the summary says.
    ...['start', 'end', 'location'].flatMap((name) => (details[name] === undefined ? [] : [`${name}: ${shortLine(details[name])}`])),
    ...(reasoning === '' ? [] : [`Why: “${shortLine(reasoning)}”`]),
    ...(does.length === 0 ? [] : [`Confirming does: ${does.join(', ')}`]),
  ];
  return {
    message: lines.join('\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        answer: { type: 'string', title: 'Your answer', oneOf: proposalChoices, default: suggested?.kind ?? 'confirm' },
        text: insteadQuestion(suggested),
      },
      required: ['answer'],
    },
  };
}

/** The person sees what would go out in their name. */
function insteadQuestion(suggested: ProposalAnswer | undefined): Question {
  const words = suggested?.kind === 'different' ? shortLine(suggested.text) : undefined;
  const description = words === undefined ? 'Such as “Saturday 20:00” or “at Dopo”' : `Your agent would say: “${words}”`;
  return { type: 'string', title: 'What instead', description, maxLength: mostLetters, ...(words === undefined ? {} : { default: words }) };
}

export function proposalAnswerIn({ answer, text, anyway }: Readonly<Record<string, unknown>>): ProposalAnswer {
  if (answer === 'confirm') return { kind: 'confirm', ...(anyway === true ? { anyway } : {}) };
  if (answer === 'excuse' || answer === 'decline') return { kind: answer };
  if (answer !== 'different') throw badInput(`answer: ${shortLine(answer)} is none of confirm, different, excuse and decline.`);
  if (typeof text !== 'string' || text.trim() === '')
    throw badInput('Something different needs words: give `text`, such as “Saturday 20:00”.');
  return { kind: 'different', text };
}

/** A form with one question and two answers. */
export const choiceForm = (message: string, yes: string, no: string): Form => ({
  message,
  requestedSchema: {
    type: 'object',
    properties: {
      answer: {
        type: 'string',
        title: 'Your answer',
        oneOf: [
          { const: 'yes', title: yes },
          { const: 'no', title: no },
        ],
      },
    },
    required: ['answer'],
  },
});

export function choiceIn({ answer }: Readonly<Record<string, unknown>>): boolean {
  if (answer !== 'yes' && answer !== 'no') throw badInput(`answer: ${shortLine(answer)} is none of yes and no.`);
  return answer === 'yes';
}

export const scopeAnswers = ['go_on', 'keep', 'decline'] as const;
type ScopeAnswer = (typeof scopeAnswers)[number];

export function scopeForm(card: ExpansionCard, suggested: ScopeAnswer | undefined): Form {
  const { peer, intent, before, isFork, reason, asked, shared: sent } = card;
  const lines = [
    `${peer} ${isFork ? 'split off' : 'wants it to be about'}: “${shortLine(intent)}”`,
    ...(before === '' ? [] : [`${isFork ? 'From' : 'Before'}: “${shortLine(before)}”`]),
    ...(reason === null ? [] : [`They say: “${shortLine(reason)}”`]),
    ...(asked.length === 0 ? [] : [`They also ask for: ${shortLine(asked.join(', '))}`]),
    `They have already: ${sent.length === 0 ? 'nothing' : shortLine(sent.join(', '))}`,
  ];
  const keep = isFork || before === '' ? [] : [{ const: 'keep', title: 'Keep it as it was' }];
  const choices = [{ const: 'go_on', title: 'Go on' }, ...keep, { const: 'decline', title: 'End the negotiation' }];
  return {
    message: lines.join('\n'),
    requestedSchema: {
      type: 'object',
      properties: { answer: { type: 'string', title: 'Your answer', oneOf: choices, ...(suggested ? { default: suggested } : {}) } },
      required: ['answer'],
    },
  };
}

export function scopeAnswerIn({ answer }: Readonly<Record<string, unknown>>): ScopeAnswer {
  const known = scopeAnswers.find((one) => one === answer);
  if (!known) throw badInput(`answer: ${shortLine(answer)} is none of ${scopeAnswers.join(', ')}.`);
  return known;
}

export const scopeAnswer = (answer: ScopeAnswer): PromptAnswer => ({ kind: answer === 'keep' ? 'keep_intent' : answer });
