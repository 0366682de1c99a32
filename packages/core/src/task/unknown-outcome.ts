// A call that nobody saw the end of (SYS-12). It is not made again unasked: a person says what became of it.

/** `did`: it happened. `again`: make it once more. `leave`: go on without knowing. */
export const unknownChoices = ['did', 'again', 'leave'] as const;
export type UnknownChoice = (typeof unknownChoices)[number];

export const isUnknownChoice = (choice: string): choice is UnknownChoice => (unknownChoices as readonly string[]).includes(choice);

/** What the agent reads in place of the call's result. */
export const confirmedText = (name: string): string =>
  `A person confirmed that ${name} happened. Its result is not known. Do not make this call again.`;
export const leftText = (name: string): string =>
  `It is not known whether ${name} happened, and a person decided to leave it. Do not make this call again.`;
