// The meaning of a message's words, as far as it decides who is woken. Each classifier is asked at most once, and only
// where somebody's verdict depends on it: most messages concern nobody.

import type { Address } from '../address/address.ts';
import type { MessageFacts } from './attend.ts';
import { isFiller } from '../classify/filler.ts';
import { isClearQuestion } from '../classify/clear-question.ts';
import { isQuestion } from '../classify/question.ts';
import { isStatus } from '../classify/status.ts';

/** The text without its addresses: whether there is anything in it to answer. */
export function textWithoutAddresses(text: string, found: readonly Address[]): string {
  let rest = '';
  let at = 0;
  for (const { start, end } of found) {
    rest += `${text.slice(at, start)} `;
    at = end;
  }
  return rest + text.slice(at);
}

export type MessageWording = Pick<MessageFacts, 'filler' | 'status' | 'question' | 'clearQuestion'>;

/** `asked` holds what the classifiers have said so far. */
export function readWording(
  said: Omit<MessageFacts, keyof MessageWording>,
  text: string,
  attachments = 0,
): { said: MessageFacts; asked: Partial<MessageWording> } {
  const worded = new Worded(said, text, attachments);
  return { said: worded, asked: worded.asked };
}

/** A class and no object of getters: one is made for every message, and those take longer to make than most texts to read. */
class Worded implements MessageFacts {
  readonly authorId: MessageFacts['authorId'];
  readonly authorKind: MessageFacts['authorKind'];
  readonly conversation: MessageFacts['conversation'];
  readonly addresses: MessageFacts['addresses'];
  readonly urgent: boolean;
  readonly notification: boolean;
  readonly path: readonly string[];
  readonly final: boolean;
  readonly continued: boolean;
  readonly asked: Partial<MessageWording> = {};
  private readonly text: string;
  private readonly attachments: number;

  constructor(said: Omit<MessageFacts, keyof MessageWording>, text: string, attachments: number) {
    this.authorId = said.authorId;
    this.authorKind = said.authorKind;
    this.conversation = said.conversation;
    this.addresses = said.addresses;
    this.urgent = said.urgent === true;
    this.notification = said.notification === true;
    this.path = said.path ?? [];
    this.final = said.final === true;
    this.continued = said.continued === true;
    this.text = text;
    this.attachments = attachments;
  }

  /** `^ORAC` alone calls, and so does `^ORAC!`; `^ORAC thanks` and `👍` do not. A message with an attachment says something. */
  get filler(): boolean {
    return (this.asked.filler ??= this.attachments === 0 && isFiller(textWithoutAddresses(this.text, this.addresses)));
  }

  /** A file may hold anything. */
  get status(): boolean {
    return (this.asked.status ??= this.attachments === 0 && isStatus(this.text));
  }

  /** Asked only of words to nobody by name whose answer decides about somebody: in a reply, or before an offer. */
  get question(): boolean {
    return (this.asked.question ??= !this.status && isQuestion(this.text));
  }

  /** Asked of words to nobody in a thread: there people talk to each other, and only a question beyond doubt wakes. */
  get clearQuestion(): boolean {
    return (this.asked.clearQuestion ??= !this.status && isClearQuestion(this.text));
  }
}
