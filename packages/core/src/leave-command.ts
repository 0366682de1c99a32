// Apart from leave.ts: whoever only looks for the command need not load the words of six languages.

/** `/leave ^ORAC`, and nothing else: the handle in it. */
export const leaveCommand = (text: string): string | undefined =>
  !text.includes('/') ? undefined : /^\/leave\s+[\^@]([a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?)$/iu.exec(text.trim())?.[1];
