// The hub as a process of its own, so that SIGKILL hits the process that holds the database. It loads its code at once
// and starts on a line from the parent: a killed hub is followed by one that is already warm.
//
// The mutants are hubs that break a promise on purpose. They show that the harness notices; nothing else uses them.

import module from 'node:module';
import { readConfig, startHub, type Kernel } from '@parley/hub';

export type Mutant = 'ack-early' | 'slow-answer';

/** Long against a commit, so that most kills fall into it. */
const mutantMs = 250;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, mutantMs));

const mutants: Record<Mutant, (kernel: Kernel) => void> = {
  // Answers a post before its commit: what is acked can be lost.
  'ack-early': ({ store }) => {
    const begin = store.begin.bind(store);
    let lastLine: Promise<unknown> = Promise.resolve();
    store.begin = async (keys, wants) => {
      await lastLine;
      const { transaction, loaded } = await begin(keys, wants);
      const commit = transaction.commit.bind(transaction);
      transaction.commit = async (changes) => {
        if (!changes.facts.some(({ type }) => type === 'message.posted')) return commit(changes);
        const head = await store.head();
        lastLine = pause().then(() => commit(changes));
        return { epoch: head.epoch, lastSeq: head.seq + changes.facts.length, rowWrites: 0 };
      };
      return { transaction, loaded };
    };
  },
  // Answers long after the commit: what is not acked is often there. A writer that retries without a key says it twice.
  'slow-answer': ({ engine }) => {
    const submit = engine.submit.bind(engine);
    engine.submit = async (command) => {
      const result = await submit(command);
      await pause();
      return result;
    };
  },
};

module.flushCompileCache();
// When the parent is gone, nobody reads this hub's answers any more.
process.stdin.on('end', () => process.exit());
process.stdin.once('data', () => {
  void (async () => {
    const { PARLEY_TEST_SYNC: sync, PARLEY_TEST_MUTANT: mutant, PARLEY_TEST_ACCEPT_LOSS: acceptLoss, ...env } = process.env;
    const hub = await startHub(readConfig(env), { sync: sync !== 'off', acceptLoss: acceptLoss !== undefined });
    if (mutant !== undefined) mutants[mutant as Mutant](hub.kernel);
    process.stdout.write(`${JSON.stringify({ url: hub.url, operatorKey: hub.dataDir.operatorKey })}\n`);
  })();
});
