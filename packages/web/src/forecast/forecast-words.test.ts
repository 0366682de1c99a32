import type { Listener, PreviewRoom } from '@parley/core';
import type { Task } from '@parley/protocol';
import { expect, test } from 'vitest';
import { task } from '../../test/fixtures.ts';
import { forecast } from './forecast-words.ts';
import { hubForecast } from './hub-forecast.ts';
import { openTasksHere } from './room.ts';

const room: PreviewRoom = {
  kind: 'channel',
  floor: 'polite',
  members: [
    { handle: 'ada', kind: 'human' },
    { handle: 'ben', kind: 'human' },
    { handle: 'ORAC', kind: 'agent' },
    { handle: 'STEF', kind: 'agent' },
    { handle: 'BOT', kind: 'agent' },
  ],
};
interface Given {
  room?: PreviewRoom;
  continuing?: Record<string, Listener['continuing']>;
  inThread?: Record<string, Listener['inThread']>;
  status?: Record<string, 'offline' | 'sleeping' | 'idle'>;
  halted?: boolean;
  askingAny?: boolean;
}
const of = (
  text: string,
  { room: where = room, continuing = {}, inThread = {}, status = {}, halted = false, askingAny = false }: Given = {},
) =>
  forecast({
    room: where,
    me: 'ada',
    text,
    continuing: (handle) => continuing[handle],
    inThread: (handle) => inThread[handle],
    askingAny,
    status: (handle) => status[handle],
    isMember: (handle) => handle === 'FAR',
    isRole: (handle) => handle === 'night',
    halted,
  });

test.each([
  ['^ORAC what is going on?', 'wakes', 'Wakes ^ORAC. 2 agents stay quiet.'],
  ['@orac please', 'wakes', 'Wakes ^ORAC. 2 agents stay quiet.'],
  ['^ORAC and ^STEF, look', 'wakes', 'Wakes ^ORAC and ^STEF. 1 agent stays quiet.'],
  ['^ORAC please leave this channel', 'quiet', 'Asks ^ORAC to leave.'],
  ['/leave ^ORAC', 'quiet', 'Asks ^ORAC to leave.'],
  ['^STEF look. ^ORAC leave this channel', 'wakes', 'Asks ^ORAC to leave. Wakes ^STEF. 1 agent stays quiet.'],
  ['^ALL stand up', 'wakes', 'Wakes all 3 agents here, a turn each.'],
  ['^ANY help', 'wakes', 'Wakes whichever of 3 agents takes it first.'],
  ['^ORAC, or ^ANY', 'wakes', 'Wakes ^ORAC. Wakes whichever of 2 agents takes it first.'],
  ['^FAR how far are we?', 'quiet', 'Nobody is woken.'],
  ['it may rain tomorrow', 'quiet', 'Nobody is woken: 3 agents stay quiet, as nobody is addressed.'],
  ['@ben look', 'quiet', 'Nobody is woken: 3 agents stay quiet, as somebody else is addressed.'],
  ['@all lunch', 'quiet', 'Nobody is woken: 3 agents stay quiet, as somebody else is addressed.'],
  ['^ORAC thanks', 'quiet', 'Nobody is woken: 3 agents stay quiet, as there is nothing in it to answer.'],
  ['`^ORAC` in code', 'quiet', 'Nobody is woken: 3 agents stay quiet, as nobody is addressed.'],
])('[SYS-3] %s: %s, %s', (text, tone, sentence) => {
  expect(of(text)).toMatchObject({ tone, text: sentence });
});

test('[C2A-34] a role knocks on those who hold it here; one that nobody here holds is doubted', () => {
  const [, , orac, stef] = room.members;
  const held: PreviewRoom = {
    ...room,
    members: [...room.members.slice(0, 2), { ...orac!, roles: ['oncall'] }, { ...stef!, roles: ['oncall'] }],
  };
  const one: PreviewRoom = { ...room, members: [...room.members.slice(0, 2), { ...orac!, roles: ['oncall'] }, stef!] };
  expect(of('^oncall look', { room: held })).toMatchObject({
    tone: 'wakes',
    text: 'Knocks on ^ORAC and ^STEF; whichever takes it first has it.',
  });
  expect(of('^oncall look', { room: one }).text).toBe('Knocks on ^ORAC, which holds the role. 1 agent stays quiet.');
  expect(of('^oncall look', { room: held, status: { ORAC: 'offline', STEF: 'sleeping' } }).mayChange).toEqual([
    'No agent with this role is here: it waits for one (may change).',
  ]);
  expect(of('^night look', { room: held }).doubts).toMatchObject([{ written: '^night', vacant: true }]);
});

test('[SYS-3] an open floor lets agents answer without calling them', () => {
  expect(of('it may rain tomorrow', { room: { ...room, floor: 'open' } }).text).toBe(
    'Nobody is called. 3 agents may answer: the floor here is open.',
  );
});

test('[SYS-3] [C2A-12] a question in a thread wakes the only agent that takes part; of several any of them, and a statement nobody', () => {
  const alone = { inThread: { ORAC: 'alone' } } as const;
  expect(of('can you check the logs?', alone).text).toBe('Wakes ^ORAC, the only agent in this thread. 2 agents stay quiet.');
  expect(of('I like the second one better', alone).tone).toBe('quiet');
  expect(of('can you check the logs?', { inThread: { ORAC: 'among', STEF: 'among' } }).text).toBe(
    'Wakes whichever of 2 agents takes it first. 1 agent stays quiet.',
  );
});

test('[SYS-3] [C2A-14] a status line wakes nobody on either floor, and it is said why', () => {
  const quiet = 'Nobody is woken: 3 agents stay quiet, as it asks for nothing.';
  expect(of('build 4711 passed in 3 min').text).toBe(quiet);
  expect(of('build 4711 passed in 3 min', { room: { ...room, floor: 'open' } }).text).toBe(quiet);
});

test('[SYS-3] a direct message wakes its agent without a name', () => {
  const dm: PreviewRoom = { ...room, kind: 'dm', members: [room.members[0]!, room.members[2]!] };
  expect(of('hello there', { room: dm }).text).toBe('Wakes ^ORAC: this is a direct message.');
  expect(of('thanks', { room: dm }).tone).toBe('quiet');
});

test('[SYS-3] [PAP-7] what goes on is said to go on, and "ok" answers an agent that asked', () => {
  expect(of('ok', { continuing: { ORAC: 'asked' } }).text).toBe('Answers ^ORAC’s question. 2 agents stay quiet.');
  expect(of('and then?', { continuing: { STEF: 'requester' } }).text).toBe('Goes on with ^STEF’s open task. 2 agents stay quiet.');
  expect(of('the deploy', { continuing: { STEF: 'fragment' } }).text).toBe('Adds to your last request to ^STEF. 2 agents stay quiet.');
});

test('[SYS-3] [C2A-4] a piece of what anyone may take is foretold as one, unless it is for somebody else', () => {
  expect(of('the deploy', { askingAny: true })).toMatchObject({ tone: 'wakes', text: 'Adds to your last request to any agent.' });
  expect(of('thanks', { askingAny: true }).tone).toBe('quiet');
  expect(of('@ben look', { askingAny: true }).tone).toBe('quiet');
});

test('[SYS-3] [PAP-18] a name that nobody here has is doubted, with the nearest one that has its sigil', () => {
  const { doubts, tone } = of('hm ^ORCA, hi');
  expect(tone).toBe('quiet');
  expect(doubts).toEqual([{ written: '^ORCA', start: 3, end: 8, nearest: '^ORAC', elsewhere: false, vacant: false, cause: undefined }]);
  expect(of('say "^ORAC"')).toMatchObject({ tone: 'quiet', doubts: [{ written: '^ORAC', nearest: null, cause: 'quoted' }] });
  expect(of('＾ORAC hi')).toMatchObject({ tone: 'quiet', doubts: [{ written: '＾ORAC', nearest: '^ORAC', cause: 'look_alike' }] });
  expect(of('@bem hi').doubts).toMatchObject([{ nearest: '@ben' }]);
  expect(of('^FAR hi').doubts).toMatchObject([{ written: '^FAR', elsewhere: true }]);
});

test('[SYS-3] [PAP-17] what only the hub knows is said to be able to change', () => {
  const { mayChange } = of('^BOT ^ORAC hi', { status: { BOT: 'offline', ORAC: 'sleeping' } });
  expect(mayChange).toEqual([
    '^ORAC sleeps: this wakes it (may change).',
    '^BOT is offline: it will get this when it comes back (may change).',
  ]);
  const away = { ORAC: 'offline', STEF: 'sleeping', BOT: 'offline' } as const;
  expect(of('^ANY hi', { status: away }).mayChange).toEqual(['No agent is here to take it: it waits for one (may change).']);
  expect(of('^ANY hi', { status: { ...away, STEF: 'idle' } as never }).mayChange).toEqual([]);
});

test('[SYS-3] [PAP-4] beside a name ^ANY is for the others, and for nobody where none of them could take it', () => {
  const away = { STEF: 'offline', BOT: 'sleeping' } as const;
  expect(of('^ORAC or ^ANY: help', { status: away })).toMatchObject({ text: 'Wakes ^ORAC. 2 agents stay quiet.', mayChange: [] });
  expect(of('^ORAC or ^ANY: help', { status: { ...away, ORAC: 'offline' } }).mayChange).toEqual([
    '^ORAC is offline: it will get this when it comes back (may change).',
    'No agent is here to take it: it waits for one (may change).',
  ]);
});

test('[SYS-3] [PAP-3] calling all is a new request, to who waits for an answer as well', () => {
  expect(of('^ALL report', { continuing: { ORAC: 'asked' } }).text).toBe('Wakes all 3 agents here, a turn each.');
});

test('[SYS-10] while everything is stopped it is said that nobody begins', () => {
  expect(of('^ORAC hi', { halted: true }).mayChange).toEqual(['Everything is stopped: no agent starts until it is released.']);
  expect(of('hi', { halted: true }).mayChange).toEqual([]);
});

test('where there is no agent there is nothing to foretell', () => {
  expect(of('hi', { room: { ...room, members: room.members.slice(0, 2) } }).text).toBeUndefined();
});

test('a long list of names is cut', () => {
  const members = Array.from({ length: 8 }, (_, index) => ({ handle: `A${index}`, kind: 'agent' as const }));
  const text = members.map((member) => `^${member.handle}`).join(' ');
  expect(of(`${text} go`, { room: { ...room, members } }).text).toBe('Wakes ^A0, ^A1, ^A2, ^A3 and 4 more.');
});

test('[SYS-3] what only the hub knows comes from a dry run and may change', () => {
  const known = { offline: false, sleeping: false, ahead: 0, spent: false };
  const handleOf = (id: string) => ({ a: 'ORAC', b: 'STEF', c: 'BOT' })[id];
  expect(
    hubForecast(
      [
        { agentId: 'a', ...known },
        { agentId: 'b', ...known, ahead: 2 },
        { agentId: 'c', ...known, ahead: 1, spent: true },
        { agentId: 'gone', ...known, ahead: 1 },
      ],
      handleOf,
    ),
  ).toEqual([
    '^STEF has 2 tasks here before this one (may change).',
    '^BOT has had all its turns for today: this would fail (may change).',
  ]);
});

test('[SYS-3] what goes on with an open task waits for nobody; after a finished one, what is spent is said again', () => {
  const spent = [{ agentId: 'orac', offline: false, sleeping: false, ahead: 0, spent: true }];
  const said = (state: Task['state']) => {
    const going = openTasksHere({ id: 'con', kind: 'dm', rootMessageId: null }, { t: task('t', { state }) }, 'ada');
    return hubForecast(
      spent,
      () => 'ORAC',
      (agentId) => going.has(agentId),
    );
  };
  expect(said('active')).toEqual([]);
  expect(said('completed')).toEqual(['^ORAC has had all its turns for today: this would fail (may change).']);
});

/** ada writes this where every agent is idle and nothing is under way. */
const idleRoom = (text: string): Parameters<typeof forecast>[0] => ({
  room,
  me: 'ada',
  text,
  continuing: () => undefined,
  status: () => 'idle',
  isMember: () => false,
  isRole: () => false,
  halted: false,
});

test('[C2A-8] [SYS-3] an agent that takes no requests from the author is not said to wake', () => {
  const refused = (text: string, ...refusing: string[]) => forecast({ ...idleRoom(text), refuses: (handle) => refusing.includes(handle) });
  expect(refused('^ORAC look', 'ORAC')).toMatchObject({ tone: 'quiet', text: '^ORAC takes no requests from you.' });
  expect(refused('^ALL look', 'ORAC').text).toBe('^ORAC takes no requests from you. Wakes all 2 agents here, a turn each.');
  expect(refused('^ORAC ^STEF look', 'ORAC').text).toBe('^ORAC takes no requests from you. Wakes ^STEF. 1 agent stays quiet.');
});

test('[C2A-16] [SYS-3] who was asked to leave is foretold as quiet, until it is named', () => {
  const left = (text: string, ...gone: string[]) => forecast({ ...idleRoom(text), left: (handle) => gone.includes(handle) }).text;
  expect(left('^ALL stand up', 'ORAC')).toBe('Wakes all 2 agents here, a turn each. 1 agent stays quiet.');
  expect(left('^ORAC stand up', 'ORAC')).toBe('Wakes ^ORAC. 2 agents stay quiet.');
  expect(left('^ALL stand up', 'ORAC', 'STEF', 'BOT')).toBe('Nobody is woken: 3 agents stay quiet, asked to leave and not called by name.');
});
