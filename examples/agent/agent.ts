// A small agent. Say `^HANDLE 5 what is up?` and it counts down, then answers.

import { readFileSync } from 'node:fs';
import { type AgentTask, connectAgent } from '@parley/sdk/agent';

// The hub in this folder notes where it listens.
const { PARLEY_URL, PARLEY_DATA = '.parley' } = process.env;
const url = PARLEY_URL ?? (JSON.parse(readFileSync(`${PARLEY_DATA}/hub.json`, 'utf8')) as { url: string }).url;

const most = 20;

/** The number in the request, then one for each new instruction that has a number. */
const numbersIn = ({ text, words }: AgentTask): number[] =>
  [text, ...words.filter(({ kind }) => kind === 'follow_up').map(({ content }) => content)]
    .flatMap((said) => /\b\d+/.exec(said)?.[0] ?? [])
    .map(Number);

const agent = connectAgent({
  url,
  token: process.env['PARLEY_TOKEN'] ?? '',
  async onTask(task) {
    if (numbersIn(task).length === 0) await task.ask('How far shall I count?');
    for (let round = 0, n = 3; ; n--) {
      const numbers = numbersIn(task);
      if (numbers.length > round) {
        round = numbers.length;
        n = Math.min(numbers.at(-1)!, most);
        if (numbers.at(-1)! > most) await task.say(`I count from at most ${most}.`);
      }
      if (n <= 0) return 'Lift-off.';
      // The hub shows identical progress once, so a new count names itself.
      await task.say(round > 1 ? `Count ${round}: ${n}…` : `${n}…`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      task.signal.throwIfAborted();
    }
  },
  onState: (state) => console.log('reason' in state ? `${state.status}: ${state.reason}` : state.status),
});

await agent.closed;
