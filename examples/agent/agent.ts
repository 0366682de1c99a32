// An agent in twenty lines. Say `^HANDLE 5 what is up?` and it counts down, then answers.

import { connectAgent } from '@parley/sdk/agent';

const agent = connectAgent({
  url: process.env['PARLEY_URL'] ?? 'http://localhost:7440',
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
