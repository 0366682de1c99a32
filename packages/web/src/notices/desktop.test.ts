import { describe, expect, test } from 'vitest';
import type { State } from '../state/model.ts';
import { desktopNotices } from './desktop.ts';

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

  test('[PAP-7] when an agent asks its requester, and nobody else', () => {
    const task = { id: 't', state: 'waiting', requesterId: 'me', agentId: 'bot', conversationId: 'c', askedIn: null };
    const before = state({ tasks: { t: { ...task, state: 'active' } } });
    expect(desktopNotices(before, state({ tasks: { t: task } }))).toMatchObject([{ title: '^ORAC asks you' }]);
    expect(desktopNotices(before, state({ tasks: { t: { ...task, requesterId: 'ben' } } }))).toEqual([]);
  });

  test('[SYS-14] of messages where the reader wants every one, and not where it is muted', () => {
    const channel = { id: 'c', kind: 'channel', name: 'general', joined: true, notify: 'all', unread: 0 };
    const [quiet, loud] = [state({ conversations: { c: channel } }), state({ conversations: { c: { ...channel, unread: 2 } } })];
    expect(desktopNotices(quiet, loud)).toMatchObject([{ title: '#general', body: '2 new messages' }]);
    expect(desktopNotices(quiet, state({ conversations: { c: { ...channel, notify: 'none', unread: 2 } } }))).toEqual([]);
    expect(desktopNotices(loud, quiet)).toEqual([]);
  });
});
