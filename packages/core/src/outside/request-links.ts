// Who may open a request link, and answer it (A2C-11): one opener, once, until it expires.

export interface RequestLinkState {
  state: 'made' | 'opened' | 'answered' | 'revoked';
  /** A hash of the secret that the opener's page made. */
  opener: string | null;
  expiresAt: number;
  openedAt: number | null;
}

export const requestLinkLimits = {
  /** Until somebody opens it. */
  expiryMs: 7 * 86_400_000,
  /** The opener has at least so long for an answer. */
  answerMs: 86_400_000,
  /** Its row, after the expiry. */
  keptMs: 30 * 86_400_000,
};

export const answersUntil = ({ expiresAt, openedAt }: RequestLinkState): number =>
  Math.max(expiresAt, (openedAt ?? 0) + requestLinkLimits.answerMs);

type Opening = 'first' | 'again' | 'taken' | 'answered' | 'spent';

/** `taken`: another page opened it. `again`: the same page asks once more, after an answer that did not reach it. */
export function openingOf(link: RequestLinkState | undefined, opener: string, now: number): Opening {
  if (!link || link.state === 'revoked') return 'spent';
  if (link.state === 'made') return now < link.expiresAt ? 'first' : 'spent';
  if (now >= answersUntil(link)) return 'spent';
  if (link.state === 'answered') return 'answered';
  return link.opener === opener ? 'again' : 'taken';
}

export function answeringOf(link: RequestLinkState | undefined, opener: string, now: number): 'first' | 'answered' | 'spent' {
  if (!link || link.opener !== opener || link.state === 'made' || link.state === 'revoked' || now >= answersUntil(link)) return 'spent';
  return link.state === 'answered' ? 'answered' : 'first';
}

/** As its person sees it. */
export const linkStateAt = (link: RequestLinkState, now: number): RequestLinkState['state'] | 'expired' =>
  (link.state === 'made' && now >= link.expiresAt) || (link.state === 'opened' && now >= answersUntil(link)) ? 'expired' : link.state;
