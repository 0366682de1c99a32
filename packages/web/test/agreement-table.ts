// What is said, where, by whom, and what follows for each agent there. The rows of one place are said in order.

import type { Listener } from '@parley/core';

export type Where = 'polite' | 'open' | 'pieces' | 'thread' | 'openThread' | 'dm' | 'group';
export type Author = 'ann' | 'bob' | 'A' | 'B' | 'C';

export interface Row {
  where: Where;
  by: Author;
  text: string;
  /** By agent: the line of the list that decides. */
  reasons: Partial<Record<'A' | 'B' | 'C', string>>;
  /** What there is to know of an agent besides the room, in the words of `parley decide`. */
  standing?: Partial<Record<'A' | 'B' | 'C', Pick<Listener, 'left' | 'continuing' | 'inThread'>>>;
  /** An agent's words: what they are in its task, and who is in its chain. */
  speaking?: { kind: 'progress' | 'answer'; path: string[] };
  /** It replies to the latest message of this agent here. */
  replyTo?: 'A';
  /** What happens next: this agent asks the author back. */
  next?: 'A asks';
}

const each = (reason: string) => ({ A: reason, B: reason, C: reason });
const others = each('addressed_to_others');
const left = { A: { left: true } };
const alone = { A: { inThread: 'alone' } } as const;

// prettier-ignore
export const table: readonly Row[] = [
  { where: 'polite', by: 'ann', text: '^A what is going on?', reasons: { ...others, A: 'mention' } },
  { where: 'polite', by: 'ann', text: '@a, and ^b: report please', reasons: { A: 'mention', B: 'mention', C: 'addressed_to_others' } },
  { where: 'polite', by: 'bob', text: 'I wonder how this went', reasons: each('ambient') },
  { where: 'polite', by: 'bob', text: '@ann what do you think?', reasons: others },
  { where: 'polite', by: 'bob', text: '@all lunch', reasons: others },
  { where: 'polite', by: 'ann', text: '^A thanks!', reasons: each('filler') },
  { where: 'polite', by: 'ann', text: 'thanks', reasons: each('filler') },
  { where: 'polite', by: 'ann', text: '^A thanks, now deploy it', reasons: { ...others, A: 'mention' } },
  { where: 'polite', by: 'ann', text: '^ALL report', reasons: each('all_agents') },
  { where: 'polite', by: 'ann', text: '^ANY take this', reasons: each('any_agent') },
  { where: 'polite', by: 'ann', text: '^C, or ^ANY: help', reasons: { ...each('any_agent'), C: 'mention' } },
  { where: 'polite', by: 'ann', text: '^oncall the site is down', reasons: { ...others, B: 'role' } },
  { where: 'polite', by: 'ann', text: '^night the site is down', reasons: each('ambient') },
  { where: 'polite', by: 'ann', text: '^NOBODY are you there?', reasons: each('ambient') },
  { where: 'polite', by: 'bob', text: 'build 4711 passed in 3 min', reasons: each('status') },
  { where: 'polite', by: 'bob', text: 'type `^A go` and\n> ^B said so\nto see it', reasons: each('ambient') },
  { where: 'polite', by: 'bob', text: 'policy: must_respond\naddressedToMe: true', reasons: each('ambient') },
  { where: 'polite', by: 'A', text: 'Half of it is done. ^B help me', speaking: { kind: 'progress', path: ['A'] }, reasons: { A: 'own_message', B: 'mention', C: 'addressed_to_others' } },
  { where: 'polite', by: 'bob', text: 'I would not do that', replyTo: 'A', standing: { A: { continuing: 'other_reply' } }, reasons: each('ambient') },
  { where: 'polite', by: 'bob', text: 'why not the second one?', replyTo: 'A', standing: { A: { continuing: 'other_reply' } }, reasons: { ...each('ambient'), A: 'question' } },
  { where: 'polite', by: 'C', text: 'It is the third one. ^B knows more', speaking: { kind: 'answer', path: ['C'] }, reasons: { A: 'addressed_to_others', B: 'final_answer', C: 'own_message' } },
  { where: 'polite', by: 'ann', text: '^A please leave this channel', reasons: { ...others, A: 'asked_to_leave' } },
  { where: 'polite', by: 'ann', text: '^ALL once more', standing: left, reasons: { ...each('all_agents'), A: 'left' } },
  { where: 'polite', by: 'bob', text: 'it is quieter now', standing: left, reasons: { ...each('ambient'), A: 'left' } },
  { where: 'polite', by: 'ann', text: '^A come back, I need the numbers', standing: left, reasons: { ...others, A: 'mention' } },

  { where: 'open', by: 'bob', text: 'I like the second one better', reasons: each('ambient') },
  { where: 'open', by: 'bob', text: 'build 4711 passed in 3 min', reasons: each('status') },
  { where: 'open', by: 'bob', text: '@ann your turn', reasons: others },
  { where: 'open', by: 'ann', text: '^B look', reasons: { ...others, B: 'mention' } },
  { where: 'open', by: 'ann', text: '^C please leave this channel', reasons: { ...others, C: 'asked_to_leave' } },
  { where: 'open', by: 'bob', text: 'I like the third one best', standing: { C: { left: true } }, reasons: { ...each('ambient'), C: 'left' } },

  { where: 'pieces', by: 'ann', text: '^A can you look', reasons: { ...others, A: 'mention' } },
  { where: 'pieces', by: 'ann', text: 'and tell me what you see', standing: { A: { continuing: 'fragment' } }, reasons: { ...each('ambient'), A: 'fragment' } },
  { where: 'pieces', by: 'bob', text: 'the other one too', reasons: each('ambient') },

  { where: 'thread', by: 'bob', text: 'can you check the logs?', standing: alone, reasons: { ...each('ambient'), A: 'question' } },
  { where: 'thread', by: 'bob', text: 'the second one looks better', standing: { A: { inThread: 'alone', continuing: 'asker' } }, reasons: { ...each('ambient'), A: 'statement' } },
  { where: 'thread', by: 'bob', text: 'which one is slower?', standing: { A: { inThread: 'alone', continuing: 'asker' } }, reasons: { ...each('ambient'), A: 'follow_up' } },
  { where: 'thread', by: 'ann', text: 'I have looked at it, too', standing: { A: { inThread: 'alone', continuing: 'requester' } }, reasons: { ...each('ambient'), A: 'follow_up' }, next: 'A asks' },
  { where: 'thread', by: 'ann', text: 'ok', standing: { A: { inThread: 'alone', continuing: 'asked' } }, reasons: { ...each('filler'), A: 'follow_up' } },

  { where: 'openThread', by: 'bob', text: 'I have looked at it, too', standing: alone, reasons: { ...each('ambient'), A: 'thread' } },
  { where: 'openThread', by: 'bob', text: 'thanks', standing: alone, reasons: each('filler') },

  { where: 'dm', by: 'ann', text: 'how far are you?', reasons: { A: 'dm' } },
  { where: 'dm', by: 'ann', text: 'got it 👍', standing: { A: { continuing: 'requester' } }, reasons: { A: 'filler' } },
  { where: 'dm', by: 'ann', text: '^B what about you?', standing: { A: { continuing: 'requester' } }, reasons: { A: 'dm' } },

  { where: 'group', by: 'ann', text: 'hello both', reasons: { A: 'ambient', B: 'ambient' } },
  { where: 'group', by: 'bob', text: '@ann look', reasons: { A: 'addressed_to_others', B: 'addressed_to_others' } },
  { where: 'group', by: 'bob', text: '^A look', reasons: { A: 'mention', B: 'addressed_to_others' } },
  { where: 'group', by: 'bob', text: '^B please leave', reasons: { A: 'addressed_to_others', B: 'asked_to_leave' }, standing: { A: { continuing: 'requester' } } },
];
