// An agent in twenty lines. Say `^HANDLE 5 what is up?` and it counts down, then answers.

import { readFileSync } from 'node:fs';
import { connectAgent } from '@parley/sdk/agent';

// The hub in this folder notes where it listens.
const { PARLEY_URL, PARLEY_DATA = '.parley' } = process.env;
const url = PARLEY_URL ?? (JSON.parse(readFileSync(`${PARLEY_DATA}/hub.json`, 'utf8')) as { url: string }).url;

const agent = connectAgent({
  url,
  token: process.env['PARLEY_TOKEN'] ?? '',
  async onTask(task) {
    const asked = /\d+/.exec(task.text)?.[0] ?? (await task.ask('How far shall I count?'));
    for (let n = Math.min(Number.parseInt(asked, 10) || 3, 10); n > 0; n--) {
      await task.say(`${n}…`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      task.signal.throwIfAborted();
    }
    return 'Lift-off.';
  },
  onState: (state) => console.log('reason' in state ? `${state.status}: ${state.reason}` : state.status),
});

await agent.closed;
