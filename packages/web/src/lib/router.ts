// Five pages do not need a routing library. A link can lead to everything that the page shows.

import { useSyncExternalStore } from 'react';
import type { MouseEvent } from 'react';

export type PageRoute =
  | { page: 'home' }
  | { page: 'join' }
  /** The tasks of the agents; `chainId`: only those of one chain. */
  | { page: 'work'; chainId: string | null }
  /** The person's own peer: a part of it, a negotiation or a shared space. `isArranging`: the form for a new negotiation is open. */
  | { page: 'peer'; part: PeerPart; threadId: string | null; spaceId: string | null; isArranging: boolean }
  /** `thread`: the message whose thread is open beside it. `messageId`: the message a link points at. */
  | { page: 'conversation'; conversationId: string; messageId: string | null; thread: string | null };

export const peerParts = ['negotiations', 'spaces', 'people', 'sharing', 'memory'] as const;
export type PeerPart = (typeof peerParts)[number];

export function parseRoute(pathname: string, search: string): PageRoute {
  const parts = pathname.split('/').filter(Boolean);
  if (parts[0] === 'join') return { page: 'join' };
  if (parts[0] === 'tasks') return { page: 'work', chainId: parts[1] ?? null };
  if (parts[0] === 'peer') {
    const part = peerParts.find((one) => one === parts[1]) ?? 'negotiations';
    const itemOf = (of: PeerPart): string | null => (part === of ? (parts[2] ?? null) : null);
    const threadId = itemOf('negotiations');
    const isArranging = threadId === 'new';
    return { page: 'peer', part, threadId: isArranging ? null : threadId, spaceId: itemOf('spaces'), isArranging };
  }
  if (parts[0] === 'c' && parts[1]) {
    const messageId = parts[2] === 'm' && parts[3] ? parts[3] : null;
    return { page: 'conversation', conversationId: parts[1], messageId, thread: new URLSearchParams(search).get('thread') };
  }
  return { page: 'home' };
}

export const workPath = (chainId?: string): string => `/tasks${chainId === undefined ? '' : `/${chainId}`}`;

export const peerPath = (part: PeerPart = 'negotiations'): string => `/peer/${part}`;

/** The form that opens a negotiation. No thread ID is `new`. */
export const arrangePath = `${peerPath()}/new`;

export const negotiationPath = (threadId: string): string => `${peerPath()}/${threadId}`;

export const spacePath = (spaceId: string): string => `${peerPath('spaces')}/${spaceId}`;

export const conversationPath = (conversationId: string, thread?: string | null): string =>
  `/c/${conversationId}${thread ? `?thread=${thread}` : ''}`;

export const messagePath = (conversationId: string, messageId: string): string => `/c/${conversationId}/m/${messageId}`;

const listeners = new Set<() => void>();
const notifyListeners = () => listeners.forEach((listener) => listener());

export function navigate(path: string, options: { replace?: boolean } = {}) {
  if (options.replace) history.replaceState(null, '', path);
  // A link to the present page repeats the jump, without another step for the back button.
  else if (path === location.pathname + location.search) history.replaceState({ again: Date.now() }, '', path);
  else history.pushState(null, '', path);
  notifyListeners();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  if (listeners.size === 1) addEventListener('popstate', notifyListeners);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('popstate', notifyListeners);
  };
}

let cached: { key: string; route: PageRoute } | undefined;
function currentRoute(): PageRoute {
  const key = `${location.pathname}${location.search}${JSON.stringify(history.state ?? null)}`;
  if (cached?.key !== key) cached = { key, route: parseRoute(location.pathname, location.search) };
  return cached.route;
}

export const useRoute = (): PageRoute => useSyncExternalStore(subscribe, currentRoute);

/** Left clicks stay in the page; a click meant for a new tab is the browser's. */
export function followLink(event: MouseEvent<HTMLAnchorElement>) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const { pathname, search } = event.currentTarget;
  navigate(pathname + search);
}
