/**
 * Remembers what was read from the last two texts: the hub reads a message again after each look into its store, and an
 * edited one beside the text before it.
 */
export function rememberLast<R>(read: (text: string) => R): (text: string) => R {
  let last: { text: string; result: R } | undefined;
  let before = last;
  return (text) => {
    if (last?.text === text) return last.result;
    [last, before] = [before?.text === text ? before : { text, result: read(text) }, last];
    return last.result;
  };
}
