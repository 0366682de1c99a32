import type { MyPeer } from '@parley/protocol';
import { useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLink } from '../../ui/copy-link.tsx';
import { Problem } from '../../ui/problem.tsx';
import { QrCode } from './qr-code.tsx';

/** By what others reach one, and an honest word about where the peer runs. */
export function MyCard({ me, onMade }: { me: MyPeer; onMade: (me: MyPeer) => void }) {
  return (
    <section aria-labelledby="my-card" className="rounded-xl border border-line px-4 py-3.5">
      <h2 id="my-card" className="font-semibold">
        Your address
      </h2>
      {me.address === null ? <Make onMade={onMade} /> : <Card me={me} address={me.address} />}
      <p className="mt-3 text-sm text-ink-2">
        This hub runs your peer, so its operator can read it. To keep it to yourself, run a peer of your own with{' '}
        <code className="font-mono text-[13px]">npx parley peer</code>.
      </p>
    </section>
  );
}

function Make({ onMade }: { onMade: (me: MyPeer) => void }) {
  const { client } = useWorkspace();
  const make = useAction(async () => onMade(await client.call('makePeer')));
  return (
    <>
      <p className="mt-1 text-sm text-ink-2">Your peer is made when you first arrange something. Make it now to get its contact card.</p>
      <Button look="primary" disabled={make.busy} onClick={make.act} className="mt-2.5">
        {make.busy ? 'Making…' : 'Make my peer'}
      </Button>
      <Problem text={make.error} />
    </>
  );
}

function Card({ me, address }: { me: MyPeer; address: string }) {
  const [shown, setShown] = useState(false);
  return (
    <>
      <p className="mt-0.5 font-mono text-sm [overflow-wrap:anywhere]">{address}</p>
      {me.card !== null && (
        <>
          <p className="mt-2.5 mb-1.5 text-sm text-ink-2">
            Your contact card, for people whose peer runs elsewhere. It carries your address and key.
          </p>
          <CopyLink url={me.card} label="Contact card" />
          <Button look="quiet" aria-expanded={shown} onClick={() => setShown(!shown)} className="mt-1.5 -ml-3">
            {shown ? 'Hide QR code' : 'Show QR code'}
          </Button>
          {shown && <QrCode text={me.card} label="Contact card as a QR code" />}
        </>
      )}
      {me.fingerprint !== null && <p className="mt-1 text-xs text-ink-3 [overflow-wrap:anywhere]">Fingerprint {me.fingerprint}</p>}
    </>
  );
}
