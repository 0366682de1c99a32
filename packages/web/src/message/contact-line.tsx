import { contactHeader } from '@parley/core';
import type { ContactHeader } from '@parley/core';
import type { Message } from '@parley/protocol';

/** What the platform posted for an agent's call; anybody else's text is shown as it is, whatever it begins with. */
export function contactIn(message: Message): ContactHeader | undefined {
  const { source } = message;
  if (source !== 'agent_contact' && source !== 'delegation_result') return undefined;
  return message.body === null ? undefined : contactHeader(message.body);
}

const words: Record<ContactHeader['kind'], (name: string) => string> = {
  ask: (name) => `^${name} asks, and waits for the answer`,
  delegate: (name) => `^${name} delegates this`,
  notify: (name) => `^${name} lets it know; no answer is expected`,
  result: (name) => `Result from ^${name}`,
  failed: (name) => `^${name} failed`,
};

/** In place of the header line, which is written for agents. */
export function ContactLine({ header }: { header: ContactHeader }) {
  const { kind, name, priority } = header;
  const urgency = priority === undefined || priority === 'normal' ? '' : `, ${priority} priority`;
  return (
    <p data-contact={kind} className={`text-xs font-medium ${kind === 'failed' ? 'text-danger' : 'text-ink-3'}`}>
      {words[kind](name)}
      {urgency}
    </p>
  );
}
