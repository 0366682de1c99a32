// The secret of a one-time link. The secret leaves the address at once: it must not stay in the history, a screenshot or a
// copied link. This tab keeps it until it is spent, so that a reload asks again instead of losing the way in.

const key = 'parley.link';

export function takeSecret(): string {
  if (location.pathname !== '/join') return '';
  const secret = location.hash.slice(1);
  if (secret === '') return kept();
  history.replaceState(null, '', '/join');
  try {
    sessionStorage.setItem(key, secret);
  } catch {
    // Forbidden or full: then it lasts as long as the page.
  }
  return secret;
}

/** Only this one: another link may have been opened in this tab meanwhile. */
export function dropSecret(secret: string) {
  if (kept() !== secret) return;
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}

function kept(): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}
