// What this browser remembers by itself: drafts, and where one was last. Storage may be full or forbidden;
// then it is kept for as long as the page is open.

const fallback = new Map<string, string>();
const prefix = 'parley.';

export function recall(key: string): string | null {
  const kept = fallback.get(key);
  if (kept !== undefined) return kept;
  try {
    return localStorage.getItem(prefix + key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string) {
  try {
    if (value === '') localStorage.removeItem(prefix + key);
    else localStorage.setItem(prefix + key, value);
    fallback.delete(key);
  } catch {
    fallback.set(key, value);
  }
}

/** On signing out: the next person at this browser must not find what this one was about to say. */
export function forgetAll() {
  fallback.clear();
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}
