const mostNamed = 4;

/** Agents in a sentence, by their handles. */
export function agentList(handles: readonly string[]): string {
  const named = handles.slice(0, handles.length > mostNamed + 1 ? mostNamed : undefined).map((handle) => `^${handle}`);
  if (named.length < handles.length) return `${named.join(', ')} and ${handles.length - named.length} more`;
  return named.length > 1 ? `${named.slice(0, -1).join(', ')} and ${named.at(-1)}` : (named[0] ?? '');
}
