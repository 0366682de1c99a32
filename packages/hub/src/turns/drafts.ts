// Drafts of an agent's words, shown to those who watch and kept nowhere. Drafts of one task go one after the other: an end
// that did not wait for a look-up would come before the draft that it ends.

import { type DraftRequest, letDraft } from '../engine/steps/tasks/floor-check.ts';
import { Shares } from '../concurrency-shares.ts';
import type { Tail } from '../engine/tail.ts';
import type { Store } from '../store/port.ts';

interface Place {
  agentId: string;
  conversationId: string;
  homeId: string;
}

export interface DraftParts {
  store: Store;
  tail: Tail;
  tell: (place: Place, taskId: string, text: string | null) => void;
  onError: (error: unknown) => void;
}

export class Drafts {
  private readonly parts: DraftParts;
  private readonly queue = new Shares({ own: 1 });
  /** Where one is shown now. */
  private readonly shown = new Map<string, Place>();

  constructor(parts: DraftParts) {
    this.parts = parts;
    // With its turn a draft ends, on whichever way and on whichever hub.
    parts.tail.listen((facts) => {
      for (const { type, subject_id: taskId } of facts) if (taskId !== null && type.startsWith('task.')) this.check(taskId);
    });
  }

  /** Refused as any word would be, and then not shown. Most turns have no draft: then there is no end to tell, either. */
  show(drafting: DraftRequest, text: string | null): Promise<void> {
    const { taskId } = drafting;
    if (text !== null) return this.queue.run(taskId, () => this.put(drafting, text));
    return this.isKnown(taskId) ? this.queue.run(taskId, () => this.end(taskId)) : Promise.resolve();
  }

  private isKnown(taskId: string): boolean {
    return this.shown.has(taskId) || this.queue.isBusy(taskId);
  }

  private async put(drafting: DraftRequest, text: string): Promise<void> {
    const { conversation } = await letDraft(this.parts.store, drafting, text);
    const place = { agentId: drafting.agentId, conversationId: conversation.id, homeId: conversation.parent_id ?? conversation.id };
    this.shown.set(drafting.taskId, place);
    this.parts.tell(place, drafting.taskId, text);
  }

  private check(taskId: string): void {
    if (!this.isKnown(taskId)) return;
    this.queue
      .run(taskId, async () => {
        if (this.shown.has(taskId) && !(await this.isAtWork(taskId))) this.end(taskId);
      })
      .catch((error: unknown) => this.parts.onError(error));
  }

  private end(taskId: string): void {
    const place = this.shown.get(taskId);
    if (!place) return;
    this.shown.delete(taskId);
    this.parts.tell(place, taskId, null);
  }

  private async isAtWork(taskId: string): Promise<boolean> {
    return (await this.parts.store.rows('tasks', { id: taskId, state: 'active' })).length > 0;
  }
}
