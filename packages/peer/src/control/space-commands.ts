// The commands of shared spaces.

import { linksIn, type SpaceLink, type SpacePermission, spacePermissions, type SpaceValue } from '@parley/core/space';
import { PeerError } from '../packets/errors.ts';
import type { SpaceChange, SpaceRecord } from '../spaces/records.ts';
import type { FieldWrite, NewSpace, Spaces } from '../spaces/spaces.ts';

export interface SpaceFieldView {
  field: string;
  value: SpaceValue;
  by: string;
  version: number;
  earlier: { value: SpaceValue; by: string; version: number }[];
  /** What it points at outside; nothing reads it by itself. */
  links: SpaceLink[];
}

export interface SpaceView {
  id: string;
  name: string;
  creator: string;
  participants: { address: string; may: SpacePermission }[];
  joined: boolean;
  fields: SpaceFieldView[];
  /** What others changed since the person last looked. */
  changes: (Omit<SpaceChange, 'at'> & { at: string })[];
  /** Updates that were not taken, by address. */
  refused: Record<string, number>;
  /** Participants who left. */
  gone: string[];
  /** Fields that the person watches; `*`: all. */
  watches: string[];
}

export type ReachedSpace = SpaceView & { problem: string | null };

export interface SpaceCommands {
  spaces(): Promise<SpaceView[]>;
  createSpace(request: NewSpace): Promise<ReachedSpace>;
  joinSpace(request: { id: string }): Promise<ReachedSpace>;
  writeSpace(request: { id: string; writes: FieldWrite[] }): Promise<ReachedSpace>;
  /** Marks its changes as seen. */
  showSpace(request: { id: string }): Promise<ReachedSpace>;
  leaveSpace(request: { id: string }): Promise<{ left: string; problem: string | null }>;
  watchSpace(request: { id: string; fields: string[] }): Promise<ReachedSpace>;
}

export function spaceCommands(spaces: Spaces, reach: () => Promise<string | null>): SpaceCommands {
  const reached = async (record: SpaceRecord): Promise<ReachedSpace> => ({ ...viewOf(record), problem: await reach() });
  /** One that somebody just made may only come with the exchange. */
  const fetched = async (id: string): Promise<void> => {
    await spaces.find(id).catch(() => reach());
  };
  return {
    spaces: async () => {
      await reach();
      return (await spaces.list()).map(viewOf);
    },
    createSpace: async (request) => {
      for (const { may } of request.participants)
        if (!spacePermissions.includes(may))
          throw new PeerError('bad_input', `participants: ${JSON.stringify(may)} is none of ${spacePermissions.join(', ')}.`);
      return reached(await spaces.create(request));
    },
    joinSpace: async ({ id }) => {
      await fetched(id);
      return reached(await spaces.join(id));
    },
    writeSpace: async ({ id, writes }) => {
      await fetched(id);
      return reached(await spaces.write(id, writes));
    },
    leaveSpace: async ({ id }) => {
      await fetched(id);
      await spaces.leave(id);
      return { left: id, problem: await reach() };
    },
    watchSpace: async ({ id, fields }) => reached(await spaces.watch(id, fields)),
    showSpace: async ({ id }) => {
      const problem = await reach();
      return { ...viewOf(await spaces.seen(id)), problem };
    },
  };
}

/** A removed field is shown no longer; its versions stay in case somebody writes it again. */
function viewOf({ id, creator, definition, isJoined, fields, changes, refused, gone = [], watches = [] }: SpaceRecord): SpaceView {
  const { name, participants } = definition!;
  return {
    id,
    name,
    creator,
    participants: Object.entries(participants).map(([address, may]) => ({ address, may })),
    joined: isJoined,
    fields: Object.entries(fields)
      .filter(([, { current }]) => current.value !== null)
      .map(([field, { current, earlier }]) => ({
        field,
        value: current.value,
        by: current.by,
        version: current.counter,
        earlier: earlier.map(({ value, by, counter }) => ({ value, by, version: counter })),
        links: linksIn(current.value),
      })),
    changes: changes.map((change) => ({ ...change, at: new Date(change.at).toISOString() })),
    refused: { ...refused },
    gone,
    watches,
  };
}
