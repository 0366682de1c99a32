// The tools every agent has. Each is a read inside its task or a command, and the command decides whether it may be: a step
// of these is not asked about a second time where it is intended.

export const speakingTools: ReadonlySet<string> = new Set(['say', 'send_channel_message']);

/** A word is held to the task's grants, a contact to its rules, each by its own command; what a turn begins with is no choice of its agent. */
export const decidedElsewhere: ReadonlySet<string> = new Set([...speakingTools, 'contact_agent', 'react', 'claim', 'context']);
