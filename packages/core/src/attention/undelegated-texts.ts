// An agent's address that made no task (PAP-10): why, and what it can do instead, in words that a model reads.

/** By the reason it was flagged with; of one agent, or of nobody in particular. */
const reasons: Readonly<Record<string, (name: string, id: string) => string>> = {
  too_deep: (name) => `${name} was not woken: the chain has reached its maximum depth. Report back to your caller.`,
  circular: (name) => `${name} was not woken: it is already in this chain. Report back to your caller.`,
  no_progress: (name) =>
    `${name} was not woken: your exchange with it repeated itself and was ended. Finish without it, or report back to your requester.`,
  chain_full: (name) => `${name} was not woken: the chain has reached its maximum number of tasks.`,
  offline: (name, id) => `${name} was not woken: it is offline. To leave it a note, use contact_agent (action 'notify', agentId '${id}').`,
  asleep: (name, id) =>
    `${name} was not woken: it sleeps past the chain's time. To wake it, use contact_agent (action 'ask', agentId '${id}').`,
  not_permitted: (name) => `${name} was not woken: you are not permitted to contact it.`,
  // Approval is for a call, which can wait for it; words in a room were said already.
  needs_approval: (name, id) =>
    `${name} was not woken: a person has to approve it first. Use contact_agent (action 'ask' or 'delegate', agentId '${id}'): that asks them, and waits.`,
  final_answer: (name) => `${name} was not woken: a final answer delegates nothing.`,
  in_question: (name) => `${name} was not woken: a question is for your requester. To delegate, address the agent in a progress message.`,
  one_delegate: (name) =>
    `${name} was not woken: a message delegates to the first agent that it addresses. Address the next in a message of its own.`,
  one_responder: () => '^ALL and ^ANY are for people: name the one agent that is to answer.',
  unknown_handle: () => 'Somebody you addressed is not here.',
  quoted: () => 'Nobody was woken: the handle is inside quotation marks. To delegate, write it outside of them.',
  indented: () => 'Nobody was woken: the handle is in an indented line, which is code. To delegate, write it at the start of the line.',
};

/** Undefined: there is nothing to say of it. */
export const notWoken = (reason: string, agent?: { handle: string; id: string }): string | undefined =>
  reasons[reason]?.(agent ? `^${agent.handle}` : 'The agent', agent?.id ?? '');
