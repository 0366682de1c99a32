import { followLink, type PeerPart, peerPath } from '../lib/router.ts';

/** To a part of one's own peer. */
export const PeerLink = ({ part, children }: { part: PeerPart; children: string }) => (
  <a href={peerPath(part)} onClick={followLink} className="rounded text-accent-ink underline underline-offset-2">
    {children}
  </a>
);
