import { ParleyError } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { lazyComponent } from './lib/lazy-component.tsx';
import { useRoute } from './lib/router.ts';
import { SignedOutPage } from './pages/signed-out.tsx';
import { LoadFailure, Loading } from './pages/loading-page.tsx';
import { WorkspacePage } from './pages/workspace.tsx';
import { client } from './state/client.ts';
import { WorkspaceContext } from './state/context.ts';
import { openWorkspace } from './state/workspace.ts';
import type { Workspace } from './state/workspace.ts';
import { Toasts } from './ui/toast.tsx';

const JoinPage = lazyComponent(async () => (await import('./pages/join.tsx')).JoinPage);

export function App() {
  const route = useRoute();
  const [round, setRound] = useState(0);
  return (
    <>
      {route.page === 'join' ? <JoinPage /> : <SignedIn key={round} onRetry={() => setRound(round + 1)} />}
      <Toasts />
    </>
  );
}

type Gate = { at: 'loading' } | { at: 'signed_out' } | { at: 'failed'; error: unknown } | { at: 'ready'; workspace: Workspace };

function SignedIn({ onRetry }: { onRetry: () => void }) {
  const [gate, setGate] = useState<Gate>({ at: 'loading' });

  useEffect(() => {
    let workspace: Workspace | undefined;
    let left = false;
    const open = async () => {
      try {
        workspace = await openWorkspace(client, () => setGate({ at: 'signed_out' }));
        if (left) workspace.stop();
        else setGate({ at: 'ready', workspace });
      } catch (error) {
        if (left) return;
        setGate(error instanceof ParleyError && error.code === 'unauthenticated' ? { at: 'signed_out' } : { at: 'failed', error });
      }
    };
    void open();
    return () => {
      left = true;
      workspace?.stop();
    };
  }, []);

  if (gate.at === 'loading') return <Loading />;
  if (gate.at === 'failed') return <LoadFailure error={gate.error} onRetry={onRetry} />;
  if (gate.at === 'signed_out') return <SignedOutPage />;
  return (
    <WorkspaceContext value={gate.workspace}>
      <WorkspacePage />
    </WorkspaceContext>
  );
}
