import { expect, test } from 'vitest';
import { stateOf } from './tools.ts';

test.each<[Parameters<typeof stateOf>[0], string]>([
  [{ state: 'idle', restarts: 0, ran: false }, 'idle'],
  [{ state: 'up', restarts: 1, ran: true }, 'up, restarted once'],
  [{ state: 'down', restarts: 4, ran: true }, 'down, restarted 4 times'],
  [{ state: 'down', restarts: 4, ran: false }, 'down, tried 5 times'],
])('%j is %s', (server, words) => expect(stateOf(server)).toBe(words));
