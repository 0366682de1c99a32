import { whenProblem } from '@parley/core';
import { useId, useMemo, useState } from 'react';
import { navigate, negotiationPath } from '../../lib/router.ts';
import { localDay } from '../../lib/time.ts';
import { useAction } from '../../lib/use-action.ts';
import { useSelect, useWorkspace } from '../../state/context.ts';
import { calledAs } from '../../state/names.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { askText } from './group-words.ts';
import { ArrangeGroup, type GroupChoice } from './arrange-group.tsx';

interface Props {
  /** Fixed, where one came from their row. A member's handle is an address, too. */
  withWhom?: { address: string; name: string };
  onClose: () => void;
}

const kinds = ['Dinner', 'Lunch', 'Breakfast', 'Coffee', 'Drinks', 'Game night', 'Meeting', 'Call'];
const elsewhere = 'elsewhere';
const outside = 'outside';

/** Who, what and when, for those who would rather pick than write a sentence. */
export function Arrange({ withWhom, onClose }: Props) {
  const { client } = useWorkspace();
  const people = usePeople();
  const form = useId();
  const [who, setWho] = useState(withWhom?.address ?? '');
  const [address, setAddress] = useState('');
  const [what, setWhat] = useState('Dinner');
  const [when, setWhen] = useState('');
  const [unread, setUnread] = useState<string | null>(null);
  const [name, setName] = useState('');
  const [isFree, setIsFree] = useState(true);
  const [urgent, setUrgent] = useState(false);
  const [more, setMore] = useState<readonly string[]>([]);
  const [choice, setChoice] = useState<GroupChoice>({ quorum: null, inOrder: false, answersWithin: 12 * 60 });
  const other = who === elsewhere ? address.trim() : who === outside ? name.trim() : who;
  const others = [other, ...more];
  const free = people.filter(({ handle }) => !others.includes(handle));
  const nameOf = (one: string): string =>
    people.find(({ handle }) => handle === one)?.displayName ?? (one === withWhom?.address ? withWhom.name : one);
  const intent = [what.trim(), when.trim(), urgent ? '(urgent)' : ''].filter((word) => word !== '').join(' ');
  const open = useAction(async () => {
    const group = others.length > 1 ? termsOf(choice, others) : {};
    const share = isFree ? ['time_windows'] : [];
    const body = { with: others.length > 1 ? others : other, intent, needs: [], ...group };
    const { threadId } =
      who === outside
        ? await client.call('inviteOutside', { body: { name: other, intent, share } })
        : await client.call('openNegotiation', { body });
    onClose();
    navigate(negotiationPath(threadId));
  });
  return (
    <Dialog
      title={withWhom ? `Arrange something with ${withWhom.name}` : 'Arrange something'}
      hint={
        who === outside
          ? 'Your peer writes a text for you to send. Both of you agree before anything is fixed.'
          : `Your peer asks theirs. ${more.length === 0 ? 'Both of you' : 'People'} confirm before anything is fixed.`
      }
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" disabled={open.busy || others.includes('') || what.trim() === ''}>
            {who === outside
              ? open.busy
                ? 'Writing…'
                : 'Write the text'
              : open.busy
                ? 'Asking…'
                : askText(others.filter((one) => one !== '').map(nameOf))}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="space-y-2"
        onSubmit={(event) => {
          event.preventDefault();
          const problem = whenProblem(when, localDay(Date.now())) ?? null;
          setUnread(problem);
          if (problem === null) open.act();
        }}
      >
        {!withWhom && (
          <Select
            label="Who"
            value={who}
            onChange={(value) => {
              setWho(value);
              if (value === outside) setMore([]);
            }}
          >
            <option value="">Choose…</option>
            {people.map((member) => (
              <option key={member.id} value={member.handle}>
                {member.displayName} ({calledAs(member)})
              </option>
            ))}
            <option value={elsewhere}>Somebody elsewhere…</option>
            <option value={outside}>Somebody without an agent…</option>
          </Select>
        )}
        {!withWhom && who === elsewhere && (
          <Field
            label="Their address"
            placeholder="agent:bob@relay.example"
            spellCheck={false}
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        )}
        {who === outside && (
          <Field label="Their name" placeholder="Carla" maxLength={80} value={name} onChange={(event) => setName(event.target.value)} />
        )}
        {more.map((handle, at) => (
          <div key={handle || 'new'} className="flex items-end gap-2">
            <div className="min-w-0 flex-1">
              <Select
                label={`Person ${at + 2}`}
                value={handle}
                onChange={(value) => setMore(more.map((one) => (one === handle ? value : one)))}
              >
                {handle === '' && <option value="">Choose…</option>}
                {people
                  .filter((member) => member.handle === handle || free.includes(member))
                  .map((member) => (
                    <option key={member.id} value={member.handle}>
                      {member.displayName} ({calledAs(member)})
                    </option>
                  ))}
              </Select>
            </div>
            <IconButton icon="close" label={`Remove person ${at + 2}`} onClick={() => setMore(more.filter((one) => one !== handle))} />
          </div>
        ))}
        {who !== outside && !others.includes('') && free.length > 0 && others.length < mostOthers && (
          <Button icon="plus" onClick={() => setMore([...more, ''])}>
            Add another person
          </Button>
        )}
        {more.length > 0 && <ArrangeGroup size={others.length + 1} choice={choice} onChange={setChoice} />}
        <Field label="What" list={`${form}-kinds`} maxLength={200} value={what} onChange={(event) => setWhat(event.target.value)} />
        <datalist id={`${form}-kinds`}>
          {kinds.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </datalist>
        <Field
          label="When"
          placeholder="on Friday 19:30"
          hint="Such as tomorrow, on Friday, next week, 20 November 19:30 for 2h. Left empty, any time that suits both"
          maxLength={200}
          value={when}
          onChange={(event) => setWhen(event.target.value)}
        />
        {who === outside && (
          <label className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={isFree}
              onChange={(event) => setIsFree(event.target.checked)}
            />
            Offer times when I am free. They tell that much of my calendar
          </label>
        )}
        <label className="flex items-center gap-2 text-sm">
          <input type="checkbox" className="size-4 accent-accent" checked={urgent} onChange={(event) => setUrgent(event.target.checked)} />
          Urgent: 2 hours for each answer, instead of 24 to 48
        </label>
        <Problem text={unread ?? open.error} />
      </form>
    </Dialog>
  );
}

const mostOthers = 49;

const termsOf = ({ quorum, inOrder, answersWithin }: GroupChoice, others: readonly string[]) => ({
  ...(quorum === null || quorum > others.length ? {} : { quorum, answersWithin }),
  ...(inOrder ? { order: [...others] } : {}),
});

function usePeople() {
  const members = useSelect((state) => state.members);
  const myId = useSelect((state) => state.myId);
  return useMemo(
    () =>
      Object.values(members)
        .filter(({ id, kind, status }) => id !== myId && kind === 'human' && status === 'active')
        .sort((a, b) => a.displayName.localeCompare(b.displayName)),
    [members, myId],
  );
}
