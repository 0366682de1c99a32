// The tools every agent has. Each is a read inside its task or a command, and the command decides whether it may be: a step
// of these is not asked about a second time where it is intended.

export const speakingTools: ReadonlySet<string> = new Set(['say', 'send_channel_message']);

/** A word is held to the task's grants, a contact to its rules, each by its own command; what a turn begins with is no choice of its agent. */
export const decidedElsewhere: ReadonlySet<string> = new Set([...speakingTools, 'contact_agent', 'react', 'claim', 'context']);

/** Of these an agent's mode asks nothing here: its own words in its task, what it is given, and a contact, whose command asks. */
export const outsideMode: ReadonlySet<string> = new Set(['say', 'context', 'contact_agent']);

export const readingTools: ReadonlySet<string> = new Set(['query_workspace', 'read_mailbox', 'read_thread', 'search_messages']);

/** The tools that an agent's prompt lists, in their order. */
export const workspaceTools: readonly { calledAs: string; access: 'read' | 'write' }[] = [
  ...[...readingTools].map((calledAs) => ({ calledAs, access: 'read' as const })),
  ...['react', 'claim', 'send_channel_message', 'contact_agent', 'negotiate'].map((calledAs) => ({ calledAs, access: 'write' as const })),
];

/** What such a tool is given leaves the workspace, whether it reads or writes there: its server has it (SYS-6). */
export const handsOut = ({ kind, name }: { kind: string; name: string }): boolean =>
  kind === 'tool' && !decidedElsewhere.has(name) && !readingTools.has(name);

/** Every text in what a tool is given, wherever it stands. */
export function textsIn(input: unknown): string[] {
  if (typeof input === 'string') return [input];
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([key, value]) => [key, ...textsIn(value)]);
}
