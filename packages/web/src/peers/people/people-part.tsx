import type { MyPeer, PeerPerson } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { toast } from '../../ui/toast.tsx';
import { FailedRead } from '../failed-read.tsx';
import { MyCard } from './my-card.tsx';
import { PersonRow } from './person-row.tsx';
import { useRead } from '../use-read.ts';

const load = async (client: Client) => (await client.call('listPeerPeople')).people;

interface Props {
  me: MyPeer;
  onMade: (me: MyPeer) => void;
}

/** One's own address, and the people one negotiates with. */
export function PeoplePart({ me, onMade }: Props) {
  const read = useRead(load);
  return (
    <>
      <MyCard me={me} onMade={onMade} />
      <h2 className="mt-7 mb-2 font-semibold">People you negotiate with</h2>
      <FailedRead read={read} quiet={false} />
      {read.data?.length === 0 && (
        <p className="text-sm text-ink-2">
          Nobody yet. Members of this hub are introduced by it when you first arrange something with them.
        </p>
      )}
      {read.data && read.data.length > 0 && (
        <ul aria-label="People you negotiate with" className="space-y-2">
          {read.data.map((person) => (
            <PersonRow key={person.address} person={person} onChanged={read.reload} />
          ))}
        </ul>
      )}
      {me.address !== null && <AddCard onAdded={read.reload} />}
    </>
  );
}

function AddCard({ onAdded }: { onAdded: () => void }) {
  const { client } = useWorkspace();
  const [card, setCard] = useState('');
  const add = useAction(async () => {
    const person: PeerPerson = await client.call('addPeerPerson', { body: { card: card.trim() } });
    setCard('');
    toast(`${person.name} is added`);
    onAdded();
  });
  return (
    <form
      aria-label="Add a person"
      className="mt-6 border-t border-line pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        add.act();
      }}
    >
      <Field
        label="Add a person by their contact card"
        hint="They find it under People, or with npx parley peer card. Get it from them directly, not from somebody else."
        placeholder="a2acp1.…"
        spellCheck={false}
        value={card}
        onChange={(event) => setCard(event.target.value)}
      />
      <Problem text={add.error} />
      <div className="mt-2 flex justify-end">
        <Button type="submit" look="primary" disabled={add.busy || card.trim() === ''}>
          Add
        </Button>
      </div>
    </form>
  );
}
