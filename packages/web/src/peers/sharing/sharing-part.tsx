import type { Client } from '@parley/sdk';
import { Calendars } from './calendars.tsx';
import { FailedRead } from '../failed-read.tsx';
import { ModelChoice } from './model-choice.tsx';
import { OwnActions } from './own-actions.tsx';
import { ProfileFields } from './profile-fields.tsx';
import { TierMatrix } from './tier-matrix.tsx';
import { useRead } from '../use-read.ts';

async function load(client: Client) {
  const [profile, { people }] = await Promise.all([client.call('getPeerProfile'), client.call('listPeerPeople')]);
  return { profile, people };
}

/** What one's peer knows, and what it may share with whom. */
export function SharingPart() {
  const read = useRead(load);
  if (!read.data) return <FailedRead read={read} quiet={false} />;
  const { profile, people } = read.data;
  const changed = (next: typeof profile) => read.replace({ profile: next, people });
  return (
    <>
      <FailedRead read={read} />
      <h2 className="font-semibold">What your peer shares</h2>
      <p className="mt-0.5 mb-2.5 text-sm text-ink-2">
        Always: it goes out when a peer asks. Ask me: you get a prompt with the reason. Never: the peer gets a decline, as if you had
        declined.
      </p>
      <TierMatrix profile={profile} people={people} onChanged={changed} />
      <h2 className="mt-7 font-semibold">What your peer knows</h2>
      <p className="mt-0.5 mb-2.5 text-sm text-ink-2">Values that it may use, within the rules above.</p>
      <ProfileFields profile={profile} onChanged={changed} />
      <h2 className="mt-7 font-semibold">Calendars</h2>
      <p className="mt-0.5 mb-2.5 text-sm text-ink-2">
        Your free time is computed from them. Events and their names never leave. Without a calendar, the hours from 9 to 22 count as free.
      </p>
      <Calendars profile={profile} onChanged={changed} />
      <h2 className="mt-7 font-semibold">Actions</h2>
      <p className="mt-0.5 mb-2.5 text-sm text-ink-2">
        Your peer adds the event to your calendar once both have confirmed. Proposals also list the actions here, and your peer runs them
        then.
      </p>
      <OwnActions />
      <h2 className="mt-7 font-semibold">Who negotiates</h2>
      <p className="mt-0.5 mb-2.5 text-sm text-ink-2">You decide what is shared and confirm the result, with rules and with a model.</p>
      <ModelChoice />
    </>
  );
}
