// The tools every agent has. Each is a read inside its task or a command, and the command decides whether it may be: a step
// of these is not asked about a second time where it is intended.

export const speakingTools: ReadonlySet<string> = new Set(['say', 'send_channel_message']);

/** Held to what the task was given, each by its own command. */
const decidedElsewhere: ReadonlySet<string> = new Set([...speakingTools, 'contact_agent', 'react', 'claim']);

/** Whether a step changes something outside the workspace, as far as anybody can tell. */
export const writesOutside = (step: { name: string; readOnly: boolean }): boolean => !step.readOnly && !decidedElsewhere.has(step.name);
