const mostNamed = 4;

/** Names in a sentence; of many, the first few. */
export function nameList(names: readonly string[]): string {
  const named = names.slice(0, names.length > mostNamed + 1 ? mostNamed : undefined);
  if (named.length < names.length) return `${named.join(', ')} and ${names.length - named.length} more`;
  return named.length > 1 ? `${named.slice(0, -1).join(', ')} and ${named.at(-1)}` : (named[0] ?? '');
}

/** Agents in a sentence, by their handles. */
export const agentList = (handles: readonly string[]): string => nameList(handles.map((handle) => `^${handle}`));
