import { expect, test } from 'vitest';
import { conversationPath, messagePath, parseRoute } from './router.ts';

test.each([
  ['/', '', { page: 'home' }],
  ['/join', '', { page: 'join' }],
  ['/c/con_1', '', { page: 'conversation', conversationId: 'con_1', messageId: null, thread: null }],
  ['/c/con_1/', '?thread=msg_2', { page: 'conversation', conversationId: 'con_1', messageId: null, thread: 'msg_2' }],
  ['/c/con_1/m/msg_2', '', { page: 'conversation', conversationId: 'con_1', messageId: 'msg_2', thread: null }],
  ['/c', '', { page: 'home' }],
  ['/tasks', '', { page: 'work', chainId: null }],
  ['/tasks/chn_1', '', { page: 'work', chainId: 'chn_1' }],
  ['/peer', '', { page: 'peer', part: 'negotiations', threadId: null, spaceId: null, isArranging: false }],
  ['/peer/negotiations/thr_1', '', { page: 'peer', part: 'negotiations', threadId: 'thr_1', spaceId: null, isArranging: false }],
  ['/peer/negotiations/new', '', { page: 'peer', part: 'negotiations', threadId: null, spaceId: null, isArranging: true }],
  ['/peer/sharing', '', { page: 'peer', part: 'sharing', threadId: null, spaceId: null, isArranging: false }],
  ['/peer/sharing/thr_1', '', { page: 'peer', part: 'sharing', threadId: null, spaceId: null, isArranging: false }],
  ['/peer/spaces', '', { page: 'peer', part: 'spaces', threadId: null, spaceId: null, isArranging: false }],
  ['/peer/spaces/spc_1', '', { page: 'peer', part: 'spaces', threadId: null, spaceId: 'spc_1', isArranging: false }],
  ['/peer/unheard-of', '', { page: 'peer', part: 'negotiations', threadId: null, spaceId: null, isArranging: false }],
  ['/elsewhere', '', { page: 'home' }],
])('%s%s', (path, search, route) => {
  expect(parseRoute(path, search)).toEqual(route);
});

test('paths lead back to what they were made from', () => {
  const parse = (path: string) => parseRoute(path.split('?')[0]!, path.includes('?') ? `?${path.split('?')[1]}` : '');
  expect(parse(conversationPath('con_1', 'msg_2'))).toMatchObject({ conversationId: 'con_1', thread: 'msg_2' });
  expect(parse(messagePath('con_1', 'msg_2'))).toMatchObject({ conversationId: 'con_1', messageId: 'msg_2' });
});
