import { Sheet } from './sheet.tsx';

export function SignedOutPage() {
  return (
    <Sheet title="You are signed out">
      <p className="mt-2 text-ink-2">There are no passwords here. You come in with a link that works once.</p>
      <dl className="mt-6 space-y-5 text-[15px]">
        <div>
          <dt className="font-medium">This is your hub</dt>
          <dd className="mt-1 text-ink-2">
            On the machine the hub runs on,{' '}
            <code className="rounded-md bg-sunken px-1.5 py-0.5 font-mono text-[13px] text-ink">npx parley link</code> prints a new link.
          </dd>
        </div>
        <div>
          <dt className="font-medium">Somebody else runs it</dt>
          <dd className="mt-1 text-ink-2">Ask a member to invite you, or for a sign-in link if you have been here before.</dd>
        </div>
      </dl>
    </Sheet>
  );
}
