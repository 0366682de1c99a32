import type { AddCalendar, PeerProfile } from '@parley/protocol';
import { useRef, useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';

interface Props {
  profile: PeerProfile;
  onChanged: (profile: PeerProfile) => void;
}

const mostBytes = 2_000_000;
const tooLong = (name: string): string => `${name} is larger than 2 MB. Export a shorter time from your calendar, and add that file.`;

/** Files that are dropped or picked, linked addresses, and one's own calendar to take away. */
export function Calendars({ profile, onChanged }: Props) {
  const { client } = useWorkspace();
  const [over, setOver] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const add = useAction(async (body: AddCalendar) => onChanged(await client.call('addPeerCalendar', { body })));
  const link = useAction(async (body: AddCalendar) => onChanged(await client.call('addPeerCalendar', { body })));
  const remove = useAction(async (name: string) => onChanged(await client.call('removePeerCalendar', { query: { name } })));
  const take = async (file: File | undefined) => {
    if (!file) return;
    setRefused(file.size > mostBytes ? tooLong(file.name) : null);
    if (file.size <= mostBytes) add.act({ kind: 'file', name: file.name.slice(0, 100), ics: await file.text() });
  };
  return (
    <>
      <ul aria-label="Calendars" className="-mx-2">
        {profile.calendars.map(({ name, username, events, problem }) => (
          <li key={name} className="flex items-center gap-2 rounded-lg px-2 py-1 hover:bg-hover">
            <span className="min-w-0 flex-1 text-sm [overflow-wrap:anywhere]">
              {name}
              {username !== null && <span className="text-ink-3"> · signed in as {username}</span>}
              {events !== null && <span className="text-ink-3"> · {events === 1 ? '1 event' : `${events} events`}</span>}
              {problem !== null && <span className="block text-danger">{problem}</span>}
            </span>
            <IconButton small icon="trash" label={`Remove ${name}`} disabled={remove.busy} onClick={() => remove.act(name)} />
          </li>
        ))}
      </ul>
      {/* Dropping is a second way: the button below does the same for the keyboard. */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void take(event.dataTransfer.files[0]);
        }}
        className={`mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-dashed px-3.5 py-3 text-sm ${over ? 'border-accent bg-accent-soft' : 'border-line-strong'}`}
      >
        <span className="min-w-0 flex-1 text-ink-2">Drop an .ics file here</span>
        <input
          ref={picker}
          type="file"
          accept=".ics,text/calendar"
          aria-label="Calendar file"
          className="hidden"
          onChange={(event) => {
            void take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
        <Button icon="file" disabled={add.busy} onClick={() => picker.current?.click()}>
          Choose a file
        </Button>
        <a
          href="/api/v1/peer/calendar.ics"
          download="calendar.ics"
          className="inline-flex min-h-9 items-center rounded-lg border border-line-strong px-3.5 font-medium hover:bg-hover"
        >
          Download mine
        </a>
      </div>
      <Problem text={refused ?? add.error ?? remove.error} />
      <LinkForm busy={link.busy} problem={link.error} onAdd={link.act} />
    </>
  );
}

interface LinkProps {
  busy: boolean;
  problem: string | null;
  onAdd: (body: AddCalendar) => void;
}

function LinkForm({ busy, problem, onAdd }: LinkProps) {
  const [url, setUrl] = useState('');
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  return (
    <form
      aria-label="Link a calendar"
      className="mt-3"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd({ kind: 'url', url: url.trim(), ...(username === '' ? {} : { username, password }) });
        setPassword('');
      }}
    >
      <Field
        label="Link a calendar"
        hint="The address of an .ics file or a CalDAV calendar"
        placeholder="https://"
        inputMode="url"
        spellCheck={false}
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      {url.trim() !== '' && (
        <div className="mt-2 grid gap-x-3 gap-y-2 sm:grid-cols-2">
          <Field
            label="User name, if it needs one"
            hint="With one, your peer adds agreed events there too"
            value={username}
            onChange={(event) => setUsername(event.target.value)}
          />
          <Field
            label="Password"
            hint="Your peer keeps it sealed. Some servers want an app password"
            type="password"
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </div>
      )}
      <div className="mt-2 empty:hidden">
        <Problem text={problem} />
      </div>
      <div className="mt-2 flex justify-end">
        <Button type="submit" disabled={busy || url.trim() === ''}>
          Link
        </Button>
      </div>
    </form>
  );
}
