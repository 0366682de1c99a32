// Runs acts one after the other, also where one of them fails.

export function takeTurns(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const result = last.then(act);
    last = result.catch(() => {});
    return result;
  };
}
