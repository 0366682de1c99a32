// Beside both threads' code, and with no import: the hub checks a zone without loading what a peer needs.

/** Undefined: the name is one that this Node knows. */
export function zoneProblem(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    if (timeZone !== '') return undefined;
  } catch {
    // Intl refuses what it does not know.
  }
  return `zone: ${JSON.stringify(name)} is no time zone. Use a name such as Europe/Berlin.`;
}
