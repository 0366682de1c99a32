// What waits for a person (SYS-1), in a sentence and with what can be chosen. A checkpoint holds ids; it gets its words
// when it is read, so that it repeats nobody and a new name is used at once.

import type { Checkpoint, CheckpointKind, PromptAnswer, PromptCard } from '@parley/protocol';
import { type FailureFacts, failedText } from '../invocation/invocation-texts.ts';
import { type IdleWhy, idleWords } from '../invocation/manifest-waking.ts';

export interface CheckpointNames {
  /** Handles of those it is about, with their sign. */
  about: readonly string[];
  /** How many things it stands for. */
  count: number;
  /** A trigger, and why it wakes nobody. */
  idle?: { trigger: string; manifest: string; why: IdleWhy } | undefined;
  /** What a trigger started and has failed, and the platform's words for it, where they are kept. */
  failed?: (FailureFacts & { invocation: string; error: string | null }) | undefined;
  /** An agent that is to change hands, as it was offered; the manager's handle with its sign. */
  offered?: { version: number; tokens: number; manager?: string | undefined } | undefined;
}

interface Spec {
  choices: Readonly<Record<string, string>>;
  sentence: (names: CheckpointNames) => string;
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? 'Somebody') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

function offerText({ version, tokens, manager }: NonNullable<CheckpointNames['offered']>): string {
  const managed =
    manager === undefined ? 'It has no manager.' : `${manager} manages it and can read its DMs; that ends unless you keep it.`;
  const ended = tokens === 0 ? 'It has no tokens.' : tokens === 1 ? 'Its token ends.' : `Its ${tokens} tokens end.`;
  return `, version ${version}. ${managed} ${ended}`;
}

export const checkpointKinds: Readonly<Record<CheckpointKind, Spec>> = {
  obligation: {
    choices: { taken: 'I’ll handle it', left: 'Dismiss' },
    sentence: ({ about, count }) =>
      `${listed(about)} ${about.length > 1 ? 'wait' : 'waits'} for ${count > 1 ? `${count} answers` : 'an answer'} that nobody has given.`,
  },
  no_progress: {
    choices: { stop: 'Stop', go_on: 'Let them go on', redirect: 'Redirect' },
    sentence: ({ about, count }) => `${listed(about)} repeated themselves and were stopped after ${count} turns.`,
  },
  idle_trigger: {
    choices: { noted: 'Noted' },
    sentence: ({ idle }) =>
      `Your trigger ${idle?.trigger ?? ''} fired and woke nobody.${idle ? ` ${idleWords(idle.why, idle.manifest)}` : ''} Until that changes, events are logged, but start nothing.`,
  },
  failed_run: {
    choices: { noted: 'Noted' },
    sentence: ({ failed }) =>
      `The run that your trigger ${failed?.trigger ?? ''} started has failed: ${failedText(failed ?? { reason: null, error: null, invocation: '' })}`,
  },
  sign_in_link: {
    choices: { expected: 'I expected it', revoke: 'Revoke it' },
    sentence: ({ about }) => `${listed(about)} made a link that signs in as you.`,
  },
  agent_handover: {
    choices: { accept: 'Accept', keep_manager: 'Accept and keep the manager', decline: 'Decline' },
    sentence: ({ about, offered }) => `If you accept, you become the owner of ${listed(about)}${offered ? offerText(offered) : '.'}`,
  },
  may_have_happened: {
    choices: { did: 'It did', again: 'Do it again', leave: 'Leave it' },
    sentence: ({ about }) => `${listed(about)} was interrupted in a call that may have happened.`,
  },
  approval: {
    choices: { approve: 'Approve', deny: 'Deny', always: 'Always' },
    sentence: ({ about }) => `${listed(about)} needs approval.`,
  },
  consent: {
    choices: { share: 'Share', decline: 'Decline' },
    sentence: () => 'Your peer asks what it may share.',
  },
  proposal: {
    choices: {
      confirm: 'Confirm',
      confirm_anyway: 'Confirm anyway',
      different: 'Suggest something different',
      excuse: 'Make an excuse',
      decline: 'Decline',
    },
    sentence: () => 'Your peer has a proposal for you.',
  },
  escalation: {
    choices: { continue: 'Try other days', decline: 'End it' },
    sentence: () => 'A negotiation of yours needs your decision.',
  },
  expansion: {
    choices: { go_on: 'Go on', keep: 'Keep it as it was', decline: 'End it' },
    sentence: () => 'The other person changed what a negotiation of yours is about. You decide whether it goes on.',
  },
  key_change: {
    choices: { keep: 'Keep the key of before' },
    sentence: () => 'The key of a peer changed. Compare the safety number with the person before you accept it.',
  },
  stranger: {
    choices: { answer: 'Answer', ignore: 'Ignore' },
    sentence: () => 'Somebody whose key nobody has checked wants to negotiate with you.',
  },
};

/** A prompt of the person's own peer: nobody else can see it, and its words are in the peer's store. */
export const isPeerPrompt = (kind: string): kind is PromptCard['kind'] => Object.hasOwn(answersTo, kind);

const answersTo: Readonly<Record<PromptCard['kind'], readonly PromptAnswer['kind'][]>> = {
  consent: ['consent'],
  proposal: ['confirm', 'different', 'excuse', 'decline'],
  escalation: ['continue', 'decline'],
  expansion: ['go_on', 'keep_intent', 'decline'],
  key_change: ['accept_key', 'keep_key'],
  stranger: ['answer_stranger'],
};

export const fitsPrompt = (kind: PromptCard['kind'], answer: PromptAnswer): boolean => answersTo[kind].includes(answer.kind);

/** One tap as a whole answer, with words where it takes some. A field without a known value cannot be shared by one tap. */
export function answerByChoice(card: PromptCard, choice: string, words?: string): PromptAnswer | undefined {
  if (!Object.hasOwn(checkpointKinds[card.kind].choices, choice)) return undefined;
  switch (card.kind) {
    case 'consent': {
      const fields = choice === 'share' ? card.fields.filter(({ value }) => value !== null) : [];
      return { kind: 'consent', fields: fields.map(({ field }) => ({ field, answer: 'share' })) };
    }
    case 'proposal':
      if (choice === 'confirm_anyway') return { kind: 'confirm', anyway: true };
      if (choice !== 'different') return { kind: choice as 'confirm' | 'excuse' | 'decline' };
      return words === undefined ? undefined : { kind: 'different', text: words };
    case 'escalation':
      return choice === 'decline' ? { kind: 'decline' } : { kind: 'continue', ...(words === undefined ? {} : { text: words }) };
    case 'expansion':
      return { kind: choice === 'keep' ? 'keep_intent' : (choice as 'go_on' | 'decline') };
    case 'key_change':
      return { kind: 'keep_key' };
    case 'stranger':
      return { kind: 'answer_stranger', isOn: choice === 'answer' };
  }
}

/**
 * One tap shares nothing where no value is known. A proposal is confirmed anyway once the person has read what stands against it. A fork was
 * never about anything else.
 */
export function isOffered(card: PromptCard, choice: string): boolean {
  if (card.kind === 'proposal') return card.conflict === null ? choice !== 'confirm_anyway' : choice !== 'confirm';
  if (card.kind === 'expansion') return choice !== 'keep' || !card.isFork;
  return card.kind !== 'consent' || choice !== 'share' || card.fields.some(({ value }) => value !== null);
}

/** A negotiation that is paused, or whose peer is silent, goes on as it was: nobody looks for other days. */
export function labelOn(card: PromptCard, { choice, label }: { choice: string; label: string }): string {
  if (card.kind !== 'escalation' || choice !== 'continue') return label;
  return card.isSilent ? 'Continue' : card.isPaused ? 'Try again' : label;
}

/** Nobody else can answer these; when the person leaves, they are withdrawn (SYS-14). */
export const isPersonal = (kind: string): boolean => kind === 'sign_in_link' || kind === 'agent_handover' || isPeerPrompt(kind);

const specOf = (kind: string): Spec | undefined =>
  Object.hasOwn(checkpointKinds, kind) ? checkpointKinds[kind as CheckpointKind] : undefined;

/** A kind of a newer hub can be put away, and no more. */
export function choicesOf(kind: string, given: { pair?: boolean; managed?: boolean } = {}): Readonly<Record<string, string>> {
  const choices = specOf(kind)?.choices ?? { noted: 'Noted' };
  // A person can approve a pair for good, without seeing its later words; a tool call never, as its later arguments are
  // unknown.
  const without = kind === 'approval' && !given.pair ? 'always' : kind === 'agent_handover' && !given.managed ? 'keep_manager' : undefined;
  return without === undefined ? choices : Object.fromEntries(Object.entries(choices).filter(([choice]) => choice !== without));
}

export const checkpointText = (kind: string, names: CheckpointNames): string =>
  specOf(kind)?.sentence(names) ?? 'Your inbox has a new item.';

type AnsweredChoice = Pick<Checkpoint, 'choices' | 'choice'>;
export const chosenLabel = ({ choices, choice }: AnsweredChoice): string =>
  choices.find((one) => one.choice === choice)?.label ?? choice ?? 'it was settled meanwhile';

/** To a person who answers what somebody else, or they on another device, answered a moment before. */
export const answeredBefore = (checkpoint: AnsweredChoice): string => `It was answered before: ${chosenLabel(checkpoint)}.`;
