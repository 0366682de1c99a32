import type { LinkPreview, Token } from '@parley/protocol';
import { DisplayName, Handle } from '@parley/protocol';
import { ParleyError } from '@parley/sdk';
import { everyConversation } from '@parley/sdk/pages';
import { useEffect, useState } from 'react';
import type { SubmitEvent } from 'react';
import { errorText } from '../lib/error-text.ts';
import { conversationPath, navigate } from '../lib/router.ts';
import { createStore, useStore } from '../lib/store.ts';
import { client } from '../state/client.ts';
import { suggestHandle } from '../state/names.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { dropSecret, takeSecret } from './link-secret.ts';
import { OtherSessions, otherSessions } from './other-sessions.tsx';
import { Sheet } from './sheet.tsx';
import { LoadFailure, Loading } from './loading-page.tsx';

type Step =
  | { at: 'loading' }
  | { at: 'missing' }
  | { at: 'spent' }
  | { at: 'failed'; error: unknown }
  | { at: 'open'; preview: LinkPreview }
  | { at: 'in'; others: readonly Token[] };

const secrets = createStore(takeSecret());
// Another link pasted into this tab changes only the fragment, and loads nothing.
addEventListener('hashchange', () => secrets.update((old) => takeSecret() || old));

export function JoinPage() {
  const secret = useStore(secrets, (value) => value);
  const [round, setRound] = useState(0);
  return <OpenLink key={`${round}:${secret}`} secret={secret} onRetry={() => setRound(round + 1)} />;
}

function OpenLink({ secret, onRetry }: { secret: string; onRetry: () => void }) {
  const [step, setStep] = useState<Step>({ at: 'loading' });

  useEffect(() => {
    const stop = new AbortController();
    const look = async () => {
      const next = await inspect(secret, stop.signal);
      if (stop.signal.aborted) return;
      if (next.at === 'spent') dropSecret(secret);
      setStep(next);
    };
    void look();
    return () => stop.abort();
  }, [secret]);

  if (step.at === 'loading') return <Loading />;
  if (step.at === 'failed') return <LoadFailure error={step.error} onRetry={onRetry} />;
  if (step.at === 'missing') return <Missing />;
  if (step.at === 'spent') return <Spent />;
  if (step.at === 'in') return <OtherSessions sessions={step.others} onDone={() => navigate('/', { replace: true })} />;
  const spend = async (who: { displayName: string; handle: string } | null) => {
    const { me } = await client.call('openSession', { body: { secret, ...who } });
    dropSecret(secret);
    // The sign-in has happened: a list that cannot be read does not undo it.
    const others = who === null ? await otherSessions(me.id).catch(() => []) : [];
    if (others.length > 0) return setStep({ at: 'in', others });
    navigate((await invitedPlace(step.preview)) ?? '/', { replace: true });
  };
  const onSpent = () => {
    dropSecret(secret);
    setStep({ at: 'spent' });
  };
  const props = { preview: step.preview, onSpent };
  return step.preview.purpose === 'invite' ? <Invitation {...props} onJoin={spend} /> : <SignIn {...props} onSignIn={() => spend(null)} />;
}

/** The preview names the channel one was invited to; only a member can find out which one that is. */
async function invitedPlace({ channel }: LinkPreview): Promise<string | null> {
  if (channel === null) return null;
  try {
    const { conversations } = await everyConversation(client);
    const found = conversations.find((item) => item.kind === 'channel' && item.joined && item.name === channel);
    return found ? conversationPath(found.id) : null;
  } catch {
    return null;
  }
}

async function inspect(secret: string, signal: AbortSignal): Promise<Step> {
  if (secret === '') return { at: 'missing' };
  try {
    return { at: 'open', preview: await client.call('inspectLink', { body: { secret } }, { signal }) };
  } catch (error) {
    return error instanceof ParleyError && error.code === 'link_spent' ? { at: 'spent' } : { at: 'failed', error };
  }
}

function Missing() {
  return (
    <Sheet title="Open your link again">
      <p className="mt-2 mb-6 text-ink-2">This address is incomplete. Open the full link that you received.</p>
      <Button onClick={() => navigate('/', { replace: true })} className="w-full">
        Go to Parley
      </Button>
    </Sheet>
  );
}

function Spent() {
  return (
    <Sheet title="This link has been used">
      <p className="mt-2 mb-6 text-ink-2">
        A link works once, and only for a while. If this hub is yours: on the machine it runs on,{' '}
        <code className="font-mono text-[13px]">npx parley link</code> prints a new link. Otherwise ask a member for an invitation, or for a
        sign-in link if you have been here before.
      </p>
      <Button onClick={() => navigate('/', { replace: true })} className="w-full">
        Go to Parley
      </Button>
    </Sheet>
  );
}

interface LinkProps {
  preview: LinkPreview;
  onSpent: () => void;
}

function useSubmit(run: () => Promise<void>, onSpent: () => void) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await run();
    } catch (failure) {
      if (failure instanceof ParleyError && failure.code === 'link_spent') onSpent();
      else setError(failure);
      setBusy(false);
    }
  };
  return { busy, error, onSubmit: (event: SubmitEvent<HTMLFormElement>) => void submit(event) };
}

function SignIn({ preview, onSpent, onSignIn }: LinkProps & { onSignIn: () => Promise<void> }) {
  const { busy, error, onSubmit } = useSubmit(onSignIn, onSpent);
  return (
    <Sheet title={signInTitle(preview)}>
      <p className="mt-2 mb-6 text-ink-2">
        This link signs this browser in to {preview.workspace}. It works once.
        {preview.role !== null &&
          ` You become ${preview.role === 'member' ? 'a' : 'an'} ${preview.role}. Every other session, token and link of this account ends.`}
      </p>
      <form onSubmit={onSubmit}>
        {preview.signedInAs !== null && <AlreadyHere name={preview.signedInAs} />}
        <Problem error={error} />
        <Button type="submit" look="primary" disabled={busy} autoFocus className="w-full">
          {busy ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
    </Sheet>
  );
}

function Invitation({ preview, onSpent, onJoin }: LinkProps & { onJoin: (who: { displayName: string; handle: string }) => Promise<void> }) {
  const [name, setName] = useState('');
  const [typedHandle, setTypedHandle] = useState<string | null>(null);
  const handle = typedHandle ?? suggestHandle(name);
  const [sentHandle, setSentHandle] = useState('');
  const { busy, error, onSubmit } = useSubmit(() => {
    setSentHandle(handle);
    return onJoin({ displayName: name.trim(), handle });
  }, onSpent);
  const nameProblem = name === '' ? null : problemOf('The name', DisplayName.safeParse(name));
  const handleProblem = handle === '' ? null : problemOf('The handle', Handle.safeParse(handle));
  const refused = error instanceof ParleyError && error.code === 'handle_taken';
  const taken = refused && handle === sentHandle ? 'Somebody has this handle already.' : null;
  return (
    <Sheet title={invitationTitle(preview)}>
      <p className="mt-2 mb-6 text-ink-2">
        {preview.channel ? `You will start in #${preview.channel}. ` : ''}
        {preview.role === 'owner' && 'This hub is yours. '}
        {preview.role === 'guest' && 'As a guest you see the conversations you are invited to. '}
        What should people call you?
      </p>
      <form onSubmit={onSubmit} className="space-y-4">
        <Field
          label="Name"
          name="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoFocus
          autoComplete="name"
          error={nameProblem}
        />
        <Field
          label="Handle"
          name="handle"
          value={handle}
          onChange={(event) => setTypedHandle(event.target.value)}
          spellCheck={false}
          autoCapitalize="none"
          hint="How others address you: @handle"
          error={handleProblem ?? taken}
        />
        {preview.signedInAs !== null && <AlreadyHere name={preview.signedInAs} />}
        {!refused && <Problem error={error} />}
        <Button
          type="submit"
          look="primary"
          disabled={busy || name.trim() === '' || handle === '' || Boolean(nameProblem ?? handleProblem)}
          className="w-full"
        >
          {busy ? 'Joining…' : 'Join'}
        </Button>
      </form>
    </Sheet>
  );
}

/** The account is named, so that nobody takes a stranger's for their own. */
const signInTitle = ({ account, workspace }: LinkPreview): string =>
  account ? `Sign in as ${account.displayName} (@${account.handle})` : `Sign in to ${workspace}`;

function invitationTitle({ workspace, invitedBy, role }: LinkPreview): string {
  if (role === 'owner') return `Welcome to ${workspace}`;
  return invitedBy ? `${invitedBy} invited you to ${workspace}` : `Join ${workspace}`;
}

function AlreadyHere({ name }: { name: string }) {
  return (
    <p className="mb-4 rounded-lg bg-notice-soft px-3.5 py-2.5 text-sm text-notice">
      You are signed in here as {name}. Continuing replaces that session; to keep it, open the link in another browser.
    </p>
  );
}

function Problem({ error }: { error: unknown }) {
  if (error === null) return null;
  return (
    <p role="alert" className="mb-4 rounded-lg bg-danger-soft px-3.5 py-2.5 text-sm text-danger">
      {errorText(error)}
    </p>
  );
}

function problemOf(subject: string, result: { success: boolean; error?: { issues: { message: string }[] } | undefined }): string | null {
  const message = result.error?.issues[0]?.message;
  return message ? `${subject} ${message}.` : null;
}
