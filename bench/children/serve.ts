// A child's half of the conversation with the bench: it is asked by name and answers once.

export type Ask = { id: number; name: string; input: unknown };
export type Reply = { id: number; value: unknown } | { id: number; failure: string };

type Answers = Record<string, (input: never) => unknown>;

/** Says that it is ready, then answers until the bench stops it or goes away. */
export function serve(ready: unknown, answers: Answers, stop: () => Promise<void>): void {
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('message', ({ id, name, input }: Ask) => {
    if (name === 'stop') return end();
    Promise.resolve()
      .then(() => answers[name]!(input as never))
      .then(
        (value: unknown) => process.send!({ id, value } satisfies Reply),
        (error: unknown) => process.send!({ id, failure: String(error) } satisfies Reply),
      );
  });
  process.on('disconnect', end);
  // Ctrl-C reaches the bench as well, which goes away.
  process.on('SIGINT', () => {});
  process.send!({ id: 0, value: ready } satisfies Reply);
}

/** Stands in what is posted where each request has a number of its own; as long as that number. */
export const numbered = '##########';
