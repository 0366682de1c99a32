import type { SharedSpace } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { useState } from 'react';
import { followLink, spacePath } from '../../lib/router.ts';
import { useNow } from '../../lib/use-now.ts';
import { Button } from '../../ui/button.tsx';
import { FailedRead } from '../failed-read.tsx';
import { dayText } from '../moments.ts';
import { useRead } from '../use-read.ts';
import { CreateSpace } from './create-space.tsx';
import { othersText } from './space-words.ts';

const load = async (client: Client) => (await client.call('listSpaces')).spaces;

/** What one keeps together with others, beyond a single negotiation. */
export function SpaceList() {
  const read = useRead(load);
  const [creating, setCreating] = useState(false);
  return (
    <>
      <FailedRead read={read} quiet={false} />
      {read.data && read.data.length > 0 && (
        <>
          <div className="mb-3 flex justify-end">
            <Button icon="plus" onClick={() => setCreating(true)}>
              Share a space
            </Button>
          </div>
          <ul aria-label="Shared spaces" className="space-y-2">
            {read.data.map((space) => (
              <Line key={space.id} space={space} />
            ))}
          </ul>
        </>
      )}
      {read.data?.length === 0 && (
        <div className="py-12 text-center">
          <p className="font-medium">No shared space yet</p>
          <p className="mx-auto mt-1 max-w-md text-sm text-ink-2">
            A space holds fields that you and others write together: the plan of a trip, decisions, who brings what. It lives with everybody
            in it.
          </p>
          <Button icon="plus" onClick={() => setCreating(true)} className="mt-4">
            Share a space
          </Button>
        </div>
      )}
      {creating && <CreateSpace onClose={() => setCreating(false)} />}
    </>
  );
}

function Line({ space }: { space: SharedSpace }) {
  const now = useNow();
  const { id, name, isNew, unseen, isJoined, changedAt } = space;
  return (
    <li data-space={id}>
      <a
        href={spacePath(id)}
        onClick={followLink}
        className="flex items-start gap-2.5 rounded-xl border border-line px-3.5 py-2.5 hover:bg-hover"
      >
        <span className="min-w-0 flex-1">
          <span className="block font-semibold [overflow-wrap:anywhere]">{name}</span>
          <span className="block text-sm text-ink-2 [overflow-wrap:anywhere]">
            {othersText(space)}
            {isNew && <span className="font-medium text-notice"> · New</span>}
            {unseen > 0 && <span className="font-medium text-notice"> · {unseen === 1 ? '1 change' : `${unseen} changes`}</span>}
            {!isJoined && <span className="font-medium text-notice"> · Not joined</span>}
          </span>
        </span>
        <time className="shrink-0 text-xs text-ink-3 tabular-nums">{dayText(changedAt, now)}</time>
      </a>
    </li>
  );
}
