// Reports of shared spaces to the hub: that something changed, when a notice is due, and the agreed text for a channel. Fast changes
// become one report.

import { noticeDelayMs } from '@parley/core/space';
import { PeerCallError, type SpaceStatus } from '@parley/protocol';
import type { SpaceRecord } from '../spaces/space-records.ts';
import type { Spaces } from '../spaces/spaces.ts';
import type { HubCalls } from './calls.ts';
import type { Reporter } from './reports.ts';

const moveMs = 1000;

export class SpaceReports {
  readonly #reporter: Reporter;
  readonly #spaces: () => Spaces;
  readonly #memberId: string | null;
  readonly #hub: Pick<HubCalls, 'space'>;

  constructor(reporter: Reporter, spaces: () => Spaces, memberId: string | null, hub: Pick<HubCalls, 'space'>) {
    this.#reporter = reporter;
    this.#spaces = spaces;
    this.#memberId = memberId;
    this.#hub = hub;
  }

  changed(record: SpaceRecord): void {
    if (!record.definition) return;
    this.#report(record.id, 'moves', moveMs);
    const delay = noticeDelayMs(
      record.changes.map(({ reason }) => reason),
      record.isNew,
    );
    if (isNoticeDue(record) || record.channel) this.#report(record.id, delay < noticeDelayMs([]) ? 'urgent' : 'notice', delay);
  }

  /** After a restart: a report may have been lost with the process. */
  restored({ id }: SpaceRecord): void {
    this.#report(id, 'notice', 0);
  }

  #report(id: string, kind: 'moves' | 'notice' | 'urgent', afterMs: number): void {
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
    this.#reporter.report({ name: `space ${kind} ${id}`, read, send }, afterMs);
  }
}

const isNoticeDue = ({ noticed = 0, seenNoticed = 0 }: SpaceRecord): boolean => noticed > seenNoticed;

/** The person may have removed or left the space meanwhile. */
export function ifUnknown(error: unknown): undefined {
  if (!(error instanceof PeerCallError) || error.code !== 'unknown_id') throw error;
}
