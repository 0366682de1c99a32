// The verdicts on a message, as they are kept (C2A-32): a later "Why?" reads them, and nothing is decided again. One
// verdict for all agents and one for each that got another, so that it costs no more in a room of thousands. They name
// members by their ids and hold no word and no handle.

import type { Mode, Policy } from '@parley/protocol';
import type { MessageFacts } from './attend.ts';
import type { TaskReason } from './why-texts.ts';
import type { MessageWording } from './message-wording.ts';

/** Which rules decided. Raised whenever the list or a classifier changes; `verdict.test.ts` holds it to them. */
export const rulesVersion = 1;

/** The last is there only where it made a task or added to one. */
export type PackedVerdict = readonly [policy: Policy, mode: Mode, reason: TaskReason, task?: true];

export interface MessageVerdicts {
  rules: number;
  floor: MessageFacts['conversation']['floor'];
  /** The answers of the classifiers that were asked. */
  words: Partial<MessageWording>;
  urgent?: true;
  notification?: true;
  /** The IDs of the members and roles that the message addresses. */
  to?: { members?: string[]; roles?: string[]; all?: true; any?: true; allPeople?: true; anyPerson?: true };
  /** For every agent that is not named in `except`. */
  others: PackedVerdict;
  except?: Record<string, PackedVerdict>;
  /** Addressed members who did not get the message because it is only filler; true: all of them. */
  withheld?: string[] | true;
}

/** As it stands in a fact: most messages concern nobody, and of those only which rules said so is written down. */
export type PackedVerdicts = Pick<MessageVerdicts, 'rules'> & Partial<MessageVerdicts>;

/** Part of how facts are written: with another one, those of before would say something else. */
const usual = {
  floor: 'polite',
  words: { filler: false, status: false },
  others: ['must_not_respond', 'tool_mailbox', 'ambient'],
} as const satisfies Partial<MessageVerdicts>;

export function packVerdicts({ floor, words, others, ...rest }: MessageVerdicts): PackedVerdicts {
  const { filler, status, ...otherWords } = words;
  const plain = filler === false && status === false && Object.keys(otherWords).length === 0;
  return {
    ...rest,
    ...(floor === usual.floor ? {} : { floor }),
    ...(plain ? {} : { words }),
    ...(sameRuled(others, usual.others) ? {} : { others }),
  };
}

/** The other way: with all that was left out. */
export const unpackVerdicts = (stored: PackedVerdicts): MessageVerdicts => ({ ...usual, ...stored });

/** A verdict, or a person who turned work to an agent. */
export interface VerdictFields {
  policy: Policy;
  mode: Mode;
  reason: TaskReason;
  task: boolean;
}

export const packVerdict = ({ policy, mode, reason, task }: VerdictFields): PackedVerdict =>
  task ? [policy, mode, reason, true] : [policy, mode, reason];

const asDecided = ([policy, mode, reason, task]: PackedVerdict): VerdictFields => ({ policy, mode, reason, task: task === true });

export const sameRuled = (a: PackedVerdict, b: PackedVerdict): boolean => a.length === b.length && a.every((part, at) => part === b[at]);

/** Only those that got another verdict than all others. */
export function exceptions(
  others: VerdictFields,
  agents: Iterable<readonly [id: string, decided: VerdictFields]>,
): Pick<MessageVerdicts, 'except'> {
  const usual = packVerdict(others);
  const except = [...agents].map(([id, decided]) => [id, packVerdict(decided)] as const).filter(([, one]) => !sameRuled(one, usual));
  return except.length === 0 ? {} : { except: Object.fromEntries(except) };
}

/** The verdict for an agent that was there. */
export const verdictFor = ({ others, except }: MessageVerdicts, agentId: string): VerdictFields => asDecided(except?.[agentId] ?? others);
export const decidedForOthers = ({ others }: MessageVerdicts): VerdictFields => asDecided(others);

export const wasWithheld = ({ withheld, others, except }: MessageVerdicts, agentId: string): boolean =>
  withheld === true ? (except?.[agentId] ?? others)[2] === 'filler' : (withheld ?? []).includes(agentId);
