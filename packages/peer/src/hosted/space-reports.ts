// Reports of shared spaces to the hub: that something moved, when a notice is due, and the agreed words for a channel. Changes that
// follow each other fast are one report.

import { noticeDelayMs } from '@parley/core/space';
import type { SpaceStatus } from '@parley/protocol';
import { PeerError } from '../packets/errors.ts';
import type { SpaceRecord } from '../spaces/records.ts';
import type { Spaces } from '../spaces/spaces.ts';
import type { HubLine } from './calls.ts';
import type { Reporter } from './reports.ts';

const moveMs = 1000;

export class SpaceReports {
  readonly #reports: Reporter;
  readonly #spaces: () => Spaces;
  readonly #memberId: string | null;
  readonly #hub: Pick<HubLine, 'space'>;

  constructor(reports: Reporter, spaces: () => Spaces, memberId: string | null, hub: Pick<HubLine, 'space'>) {
    this.#reports = reports;
    this.#spaces = spaces;
    this.#memberId = memberId;
    this.#hub = hub;
  }

  changed(record: SpaceRecord): void {
    if (!record.definition) return;
    this.#note(record.id, 'moves', moveMs);
    const delay = noticeDelayMs(
      record.changes.map(({ reason }) => reason),
      record.isNew,
    );
    if (isNoticeDue(record) || record.channel) this.#note(record.id, delay < noticeDelayMs([]) ? 'urgent' : 'notice', delay);
  }

  /** As after a restart. */
  all({ id }: SpaceRecord): void {
    this.#note(id, 'notice', 0);
  }

  #note(id: string, kind: 'moves' | 'notice' | 'urgent', afterMs: number): void {
    const memberId = this.#memberId;
    if (memberId === null) return;
    const read = async (): Promise<SpaceStatus | undefined> => {
      const record = await this.#spaces().find(id).catch(ifUnknown);
      if (!record) return undefined;
      const { moves = 0, noticed = 0 } = record;
      if (kind === 'moves') return { spaceId: id, moves, noticed: null, line: null };
      const line = (await this.#spaces().channelLine(record)) ?? null;
      return { spaceId: id, moves, noticed: isNoticeDue(record) ? noticed : null, ...(record.isNew ? { isNew: true } : {}), line };
    };
    const send = async (status: SpaceStatus): Promise<void> => {
      await this.#hub.space(memberId, status);
      if (status.line) await this.#spaces().posted(id, status.line.n).catch(ifUnknown);
    };
    this.#reports.note({ name: `space ${kind} ${id}`, read, send }, afterMs);
  }
}

const isNoticeDue = ({ noticed = 0, seenNoticed = 0 }: SpaceRecord): boolean => noticed > seenNoticed;

/** The person left it meanwhile. */
function ifUnknown(error: unknown): undefined {
  if (!(error instanceof PeerError) || error.code !== 'unknown_id') throw error;
}
