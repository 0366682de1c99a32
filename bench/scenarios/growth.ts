// Measures single calls in a workspace that has grown, against the same calls in a small one: no frequent call of people
// and programs may cost more because much is stored.

import { join } from 'node:path';
import type { HubReady } from '../children/hub.ts';
import type { People, Person } from '../children/seed.ts';
import type { Child } from '../child.ts';
import { body, onFreshGround, startHub } from '../kit.ts';
import { curves } from '../plot.ts';
import { median, ms, times } from '../stats.ts';
import { manyTypes } from '../triggers.ts';

interface Size {
  messages: number;
  channels: number;
  triggers: number;
}

interface Workspace {
  hub: Child<HubReady>;
  reader: Person;
  monitor: string;
  event: object;
}

/** The messages are in channels that both sizes have. */
const busy = 20;

async function filled(hub: Child<HubReady>, { messages, channels, triggers }: Size): Promise<Workspace> {
  const { people } = await hub.ask<People>('people', { prefix: 'grow', count: 2, sets: [{ channels, members: 2, each: channels }] });
  const [reader, author] = people as [Person, Person];
  for (const conversationId of author.channels[0]!.slice(0, busy))
    await hub.ask('write', { by: author, conversationId, count: messages / busy, length: body.length });
  // Each names an agent that is not there, which is a notice for its author. A test counts the cost of tasks: even-cost.test.ts.
  for (let unwritten = messages / 20; unwritten > 0; unwritten -= 500)
    await hub.ask('request', { person: reader, channel: reader.channels[0]![0]!, handles: Array(Math.min(500, unwritten)).fill('NOBODY') });
  const made = manyTypes(triggers);
  const [monitor] = await hub.ask<string[]>('monitors', { count: 1, triggers: made.triggers.map(({ trigger }) => trigger) });
  return { hub, reader, monitor: monitor!, event: made.events[0]! };
}

type Call = (at: Workspace, i: number) => [token: string, method: string, path: string, body?: object];
const reads = (path: (at: Workspace) => string): Call => {
  return (at) => [at.reader.token, 'GET', path(at)];
};
const channelOf = ({ reader }: Workspace): string => reader.channels[0]![7]!;

/** Each of them is asked again and again by a page, an agent or a monitor. */
const calls: Record<string, Call> = {
  'newest messages': reads((at) => `/conversations/${channelOf(at)}/messages?limit=50`),
  'first messages': reads((at) => `/conversations/${channelOf(at)}/messages?limit=50&after=0`),
  search: reads(() => '/search?q=quarterly&limit=20'),
  conversations: reads(() => '/conversations?limit=20'),
  'a conversation': reads((at) => `/conversations/${channelOf(at)}`),
  notices: reads(() => '/notices'),
  'a message': (at, i) => [at.reader.token, 'POST', `/conversations/${channelOf(at)}/messages`, { body: `${i} ${body}` }],
  'a read mark': (at, i) => [at.reader.token, 'PUT', `/conversations/${channelOf(at)}/read`, { seq: i + 1 }],
  'a new channel': (at, i) => [at.reader.token, 'POST', '/conversations', { name: `new-${i}` }],
  'an event': (at, i) => [at.monitor, 'POST', '/events', { ...at.event, id: `evt_${i}` }],
};

async function took(at: Workspace, call: Call, i: number): Promise<number> {
  const [token, method, path, input] = call(at, i);
  const began = performance.now();
  const answer = await fetch(`${at.hub.ready.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(input ? { 'content-type': 'application/json' } : {}) },
    ...(input ? { body: JSON.stringify(input) } : {}),
  });
  const text = await answer.text();
  const spent = performance.now() - began;
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return spent;
}

const sizes = (quick: boolean): Size[] => [
  { messages: 5000, channels: 20, triggers: 99 },
  { messages: 40_000, channels: 200, triggers: 999 },
  ...(quick ? [] : [{ messages: 300_000, channels: 1000, triggers: 9999 }]),
];
const numbers = ({ messages, channels, triggers }: Size): string =>
  [messages, channels, triggers].map((one) => one.toLocaleString('en')).join(' / ');

export const growth = onFreshGround(async ({ quick }, run, folder) => {
  const stages = sizes(quick);
  const workspaces: Workspace[] = [];
  for (const size of stages) workspaces.push(await filled(await startHub(run, join(folder, String(size.messages))), size));
  const rounds = quick ? 40 : 150;
  const warm = 10;
  const found: { name: string; took: number[]; ratios: number[] }[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const spent: number[][] = workspaces.map(() => []);
    // In turns, so that what else the machine does in a second falls on all of them.
    for (let i = 0; i < warm + rounds; i++) for (const [stage, at] of workspaces.entries()) spent[stage]!.push(await took(at, call, i));
    const medians = spent.map((some) => median(some.slice(warm)));
    found.push({ name, took: medians, ratios: medians.map((one) => one / medians[0]!) });
  }
  const ratio = ({ ratios }: { ratios: number[] }): number => ratios.at(-1)!;
  found.sort((a, b) => ratio(b) - ratio(a));
  const [small, large] = [stages[0]!, stages.at(-1)!];
  return [
    {
      what: `The worst of ${found.length} calls with ${numbers(large)} messages / conversations / triggers, against ${numbers(small)}`,
      result: times(ratio(found[0]!)),
      target: { text: '≤ 1.5 ×', met: ratio(found[0]!) <= 1.5 },
      from: found.map((one) => `${one.name} ${times(ratio(one))} (${one.took.map(ms).join(', ')})`).join(', '),
      plot: curves(
        'bench-growth.svg',
        'Time of a call as a workspace grows (messages / conversations / triggers)',
        stages.map(numbers),
        found.map(({ name, ratios }) => ({ label: name, values: ratios })),
        { value: 1.5, text: 'limit 1.5 ×' },
      ),
    },
  ];
});
