import { describe, expect, test } from 'vitest';
import type { State } from '../state/model.ts';
import { desktopNotices } from './desktop-notices.ts';

const state = (over: Partial<Record<keyof State, unknown>>): State =>
  ({
    myId: 'me',
    members: { bot: { id: 'bot', kind: 'agent', handle: 'ORAC', displayName: 'Orac' } },
    checkpoints: {},
    tasks: {},
    conversations: {},
    ...over,
  }) as unknown as State;

describe('the desktop is told', () => {
  test('[SYS-1] of a decision that waits, once', () => {
    const asked = { id: 'chk', text: 'ORAC wants to use x', conversationId: 'c', messageId: null };
    const after = state({ checkpoints: { chk: asked } });
    expect(desktopNotices(state({}), after)).toMatchObject([{ tag: 'chk', body: 'ORAC wants to use x', path: '/c/c' }]);
    expect(desktopNotices(after, state({ checkpoints: { chk: asked } }))).toEqual([]);
  });

  test('[SYS-1] [A2C-22] of a prompt of their own peer, with the way to it and no word of it', () => {
    const asked = { id: 'chk', kind: 'consent', text: 'Bob’s peer asks', conversationId: null, messageId: null, card: { kind: 'consent' } };
    const [notice] = desktopNotices(state({}), state({ checkpoints: { chk: asked } }));
    expect(notice).toEqual({ tag: 'chk', title: 'Waiting for your decision', body: 'Bob’s peer asks', path: '/peer/negotiations' });
  });

  test('[PAP-7] when an agent asks its requester, and nobody else', () => {
    const task = { id: 't', state: 'waiting', requesterId: 'me', agentId: 'bot', conversationId: 'c', askedIn: null };
    const before = state({ tasks: { t: { ...task, state: 'active' } } });
    expect(desktopNotices(before, state({ tasks: { t: task } }))).toMatchObject([{ title: '^ORAC asks you' }]);
    expect(desktopNotices(before, state({ tasks: { t: { ...task, requesterId: 'ben' } } }))).toEqual([]);
  });

  const people = {
    me: { id: 'me', kind: 'human', handle: 'ada', displayName: 'Ada' },
    ben: { id: 'ben', kind: 'human', handle: 'ben', displayName: 'Ben' },
    bot: { id: 'bot', kind: 'agent', handle: 'ORAC', displayName: 'Orac' },
  };
  const posted = (notify: string, authorId: string, body: string, over: object = {}, tasks = {}) => {
    const c = { id: 'c', kind: 'channel', name: 'general', joined: true, notify };
    const before = state({ members: people, conversations: { c }, latest: null, tasks });
    const message = { id: 'm', conversationId: 'c', authorId, body, task: null, ...over };
    const after = { ...before, latest: { message, home: 'c' } } as unknown as State;
    expect(desktopNotices(after, { ...after })).toEqual([]);
    return desktopNotices(before, after).map(({ title, body: text }) => `${title}: ${text}`);
  };

  test('[SYS-14] of messages by people where the reader wants every one, and not where it is muted or theirs', () => {
    expect(posted('all', 'ben', 'lunch?')).toEqual(['Ben in #general: lunch?']);
    expect(posted('mentions', 'ben', 'lunch?')).toEqual([]);
    expect(posted('none', 'ben', '@ada lunch?')).toEqual([]);
    expect(posted('all', 'me', '@ada lunch?')).toEqual([]);
  });

  test('[SYS-14] of a message that calls the reader or everybody', () => {
    expect(posted('mentions', 'ben', '@ada lunch?')).toEqual(['Ben in #general: @ada lunch?']);
    expect(posted('mentions', 'bot', 'done, @ada')).toEqual(['Orac in #general: done, @ada']);
    expect(posted('mentions', 'ben', '@all lunch!')).toEqual(['Ben in #general: @all lunch!']);
    expect(posted('mentions', 'ben', '@ben lunch?')).toEqual([]);
  });

  test('[SYS-14] of an agent’s answer to the reader, and not of what it says on the way or to others', () => {
    const asked = { t: { id: 't', state: 'completed', requesterId: 'me' } };
    const word = (kind: string) => ({ task: { id: 't', kind } });
    expect(posted('all', 'bot', 'twelve', word('answer'), asked)).toEqual(['Orac in #general: twelve']);
    expect(posted('all', 'bot', 'counting', word('progress'), asked)).toEqual([]);
    expect(posted('all', 'bot', 'twelve', word('answer'), { t: { ...asked.t, requesterId: 'ben' } })).toEqual([]);
  });
});
