// The prompt besides the task: the agent's identity, its notes, and how its turn ends. Everything that anybody wrote, its
// own notes among it, is in blocks with the prompt's mark.

import { block, confirmedText, leftText, type NotesForTurn, type Prompt, withheldNotesText, cutText } from '@parley/core';
import { maxBodyLength } from '@parley/protocol';
import type { UnknownOutcome, Tool } from '../brain.ts';

const ending = [
  'Your last text in this turn is your answer, and is shown to the requester. Call a tool only if the answer needs it.',
  `If you need an answer from the requester, call ask_requester. If you cannot or will not do it, call decline.`,
].join('\n');

export function systemPrompt(instructions: string, { text, withheld }: NotesForTurn, { system, mark }: Prompt, handle: string): string {
  const notes = text === '' ? [] : [block({ source: 'memory', kind: 'own', by: { handle, kind: 'agent' }, text }, 'memory', mark)];
  const withheldLines = withheld === 0 ? [] : [withheldNotesText(withheld)];
  return [instructions.trim(), system, ending, ...withheldLines, ...notes].filter((part) => part !== '').join('\n\n');
}

// eslint-disable-next-line no-control-regex
const unsayable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/** Makes a model's text fit for a message. The doors apply the same limits to text that comes in. */
export function postableText(text: string, most = maxBodyLength): string {
  // Room for the line that says so.
  return cutText(text.toWellFormed().replaceAll(unsayable, ''), most - 100);
}

/** A name of the platform's: one that a model made up is not repeated outside a block. */
export const plainName = (name: string): string => (/^[\w.-]{1,128}$/.test(name) ? name : 'unknown');

export const toolBlock = (name: string, text: string, mark: string): string =>
  block({ source: plainName(name), kind: 'tool', by: null, text }, 'tool', mark);

/** Replaces a call's result. Later messages follow, because the person may have said more than their answer. */
export function unknownText(name: string, { since, answer }: Pick<UnknownOutcome, 'since' | 'answer'>, mark: string): string {
  const laterWords = since.map(({ by, text, messageId }) =>
    block({ source: messageId, kind: 'follow_up', by: by ? { handle: by.handle, kind: by.kind } : null, text }, 'since', mark),
  );
  const words = answer === 'did' ? confirmedText(plainName(name)) : leftText(plainName(name));
  return laterWords.length === 0 ? words : [words, 'Since then was said:', ...laterWords].join('\n');
}

const text = (name: string, description: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
});

const rejectRun = (): Promise<never> => Promise.reject(new Error('The turn ends with it'));

/** These end the turn, and are done by the loop itself. */
export const endings: readonly Tool[] = [
  {
    name: 'ask_requester',
    description: 'Ask the requester a question. Your turn ends, and a new one begins with their answer.',
    input: text('question', 'What you need to know.'),
    readOnly: true,
    keyed: false,
    run: rejectRun,
  },
  {
    name: 'decline',
    description: 'Say that you cannot or will not do it, and why. It is your last word in this task.',
    input: {
      ...text('reason', 'The reason, for the requester.'),
      properties: {
        reason: { type: 'string', description: 'The reason, for the requester.' },
        blocked: { type: 'boolean', description: 'True: you could, if something else were done first.' },
      },
    },
    readOnly: true,
    keyed: false,
    run: rejectRun,
  },
];

// Names that the journal or the loop itself uses: a tool of another's by that name would pass for them.
const reserved: ReadonlySet<string> = new Set(['say', 'context', 'model', ...endings.map(({ name }) => name)]);

/** The first tool of each name counts, so that none passes for another or for the platform. Providers limit the names. */
export function toolsByName(tools: readonly Tool[]): Map<string, Tool> {
  const found = new Map<string, Tool>();
  for (const one of tools)
    if (/^[A-Za-z0-9_-]{1,64}$/.test(one.name) && !reserved.has(one.name) && !found.has(one.name)) found.set(one.name, one);
  return found;
}
