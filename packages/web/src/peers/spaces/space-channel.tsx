import { useMemo, useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useSelect, useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { nameIn } from './space-words.ts';
import type { SpacePart } from './space-view.tsx';

/** Where changes are mentioned, and whose words may be read there: those of people who agreed to it. */
export function SpaceChannel({ space, onChanged }: SpacePart) {
  const { client } = useWorkspace();
  const channels = useChannels();
  const [chosen, setChosen] = useState('');
  const params = { spaceId: space.id };
  const link = useAction(async (conversationId: string | null) =>
    onChanged(await client.call('linkSpace', { params, body: { conversationId } })),
  );
  const agree = useAction(async (audience: string | null) => {
    const writes = [{ field: `${space.ownPrefix}posts_to`, value: audience }];
    onChanged(await client.call('writeSpace', { params, body: { writes } }));
  });
  const me = space.people.find(({ isMe }) => isMe);
  if (!me || me.may === 'read-all' || !space.isJoined) return null;
  const own = space.channel;
  // Several people name one place, each by agreeing to it.
  const places = new Map(
    space.audiences.filter(({ audience }) => audience !== own?.audience).map(({ audience, agreed: all }) => [audience, all]),
  );
  const agreed = space.audiences.find(({ by }) => by === me.address)?.agreed.filter((address) => address !== me.address) ?? [];
  return (
    <section aria-label="Channel" className="mt-6 text-sm">
      <h3 className="mb-1 font-medium text-ink-2">In a channel</h3>
      {[...places].map(([audience, all]) => {
        const names = all.filter((address) => address !== me.address).map((address) => nameIn(space, address));
        const hasAgreed = all.includes(me.address);
        const others = names.length === 0 ? 'Nobody else lets' : names.length === 1 ? `${names[0]!} lets` : `${names.join(' and ')} let`;
        return (
          <p key={audience} className="mb-2 flex flex-wrap items-center gap-2 [overflow-wrap:anywhere]">
            {`${others} changes be read in ${audience}. ${hasAgreed ? 'You agreed.' : 'Your words are left out until you agree.'}`}
            <Button disabled={agree.busy} onClick={() => agree.act(hasAgreed ? null : audience)} className="min-h-8">
              {hasAgreed ? 'Take back' : 'Agree'}
            </Button>
          </p>
        );
      })}
      {own ? (
        <div className="flex flex-wrap items-center gap-2">
          <span className="[overflow-wrap:anywhere]">
            {`Changes are mentioned in ${own.audience}. `}
            {agreed.length === 0
              ? 'Nobody else agreed that their words are read there.'
              : `Also with the words of ${agreed.map((one) => nameIn(space, one)).join(', ')}.`}
          </span>
          <Button disabled={link.busy} onClick={() => link.act(null)} className="min-h-8">
            Stop
          </Button>
        </div>
      ) : (
        channels.length > 0 && (
          <form
            aria-label="Mention changes in a channel"
            className="flex flex-wrap items-end gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              link.act(chosen);
            }}
          >
            <Select label="Mention changes in" value={chosen} onChange={setChosen}>
              <option value="">No channel</option>
              {channels.map(({ id, name }) => (
                <option key={id} value={id}>{`#${name ?? ''}`}</option>
              ))}
            </Select>
            <Button type="submit" disabled={link.busy || chosen === ''}>
              Mention
            </Button>
            <p className="w-full text-ink-3">Your own words are read there then. Others’ words stay out until they agree.</p>
          </form>
        )
      )}
      <Problem text={link.error ?? agree.error} />
    </section>
  );
}

function useChannels() {
  const conversations = useSelect((state) => state.conversations);
  return useMemo(
    () =>
      Object.values(conversations)
        .filter(({ kind, archivedAt }) => kind === 'channel' && archivedAt === null)
        .toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? '')),
    [conversations],
  );
}
