// Shown right after a sign-in link was opened: who else is in the account, so that nobody shares one without knowing it.

import type { Token } from '@parley/protocol';
import { fullDate } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { client } from '../state/client.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { Sheet } from './sheet.tsx';

/** The tokens that act as this person, apart from the session that asks. */
export async function otherSessions(memberId: string): Promise<Token[]> {
  const { tokens } = await client.call('listTokens');
  return tokens.filter((token) => token.memberId === memberId && token.kind === 'person' && !token.current && token.revokedAt === null);
}

const kindOf = ({ purpose, label }: Token): string => (purpose === 'session' ? 'Session in a browser' : `Token “${label}”`);

export function OtherSessions({ sessions, onDone }: { sessions: readonly Token[]; onDone: () => void }) {
  const end = useAction(async () => {
    await client.call('endOtherSessions');
    onDone();
  });
  return (
    <Sheet title="You are signed in elsewhere">
      <p className="mt-2 mb-4 text-ink-2">Everybody who has one of these acts as you. If you do not know one of them, end them all.</p>
      <ul aria-label="Other sessions" className="mb-6 max-h-60 divide-y divide-line overflow-y-auto">
        {sessions.map((one) => (
          <li key={one.id} className="py-2 text-sm">
            <span className="block font-medium break-words">{kindOf(one)}</span>
            <span className="block text-[13px] text-ink-3">Since {fullDate(one.createdAt)}</span>
          </li>
        ))}
      </ul>
      <Problem text={end.error} />
      <Button look="primary" autoFocus className="w-full" onClick={onDone}>
        Keep them
      </Button>
      <Button className="mt-2 w-full" disabled={end.busy} onClick={() => end.act()}>
        End other sessions
      </Button>
    </Sheet>
  );
}
