// What an agent is about to say, shown to those who watch and kept nowhere. For each task one after the other: where it
// is shown is looked up, and an end that did not wait for that would come before what it ends.

import type { Tail } from '../engine/tail.ts';
import type { Store } from '../store/port.ts';
import type { TaskRow } from '../store/tables.ts';

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
  /** The last thing under way for a task. */
  private readonly last = new Map<string, Promise<void>>();
  /** Where one is shown now. */
  private readonly shown = new Map<string, Place>();

  constructor(parts: DraftParts) {
    this.parts = parts;
    // With its turn a draft ends, however that came about and whoever should have said so.
    parts.tail.listen((facts) => {
      for (const { type, subject_id: taskId } of facts) if (taskId !== null && type.startsWith('task.')) this.check(taskId);
    });
  }

  /** Most turns have no draft: then there is no end to tell, either. */
  show(task: TaskRow, text: string | null): void {
    if (text !== null) this.queue(task.id, () => this.put(task.id, text));
    else if (this.isKnown(task.id)) this.queue(task.id, () => this.end(task.id));
  }

  private isKnown(taskId: string): boolean {
    return this.shown.has(taskId) || this.last.has(taskId);
  }

  private queue(taskId: string, work: () => Promise<void> | void): void {
    const mine = (this.last.get(taskId) ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => this.parts.onError(error))
      .finally(() => {
        if (this.last.get(taskId) === mine) this.last.delete(taskId);
      });
    this.last.set(taskId, mine);
  }

  private async put(taskId: string, text: string): Promise<void> {
    const place = await this.placeOf(taskId);
    // It may have been answered while this was on its way.
    if (!place) return this.end(taskId);
    this.shown.set(taskId, place);
    this.parts.tell(place, taskId, text);
  }

  private check(taskId: string): void {
    if (!this.isKnown(taskId)) return;
    this.queue(taskId, async () => {
      if (this.shown.has(taskId) && !(await this.placeOf(taskId))) this.end(taskId);
    });
  }

  private end(taskId: string): void {
    const place = this.shown.get(taskId);
    if (!place) return;
    this.shown.delete(taskId);
    this.parts.tell(place, taskId, null);
  }

  /** Undefined: nobody is at it. */
  private async placeOf(taskId: string): Promise<Place | undefined> {
    const [place] = await this.parts.store.all<Place>(
      `select t.agent_id as "agentId", c.id as "conversationId", coalesce(c.parent_id, c.id) as "homeId"
       from tasks t join conversations c on c.id = t.conversation_id where t.id = ? and t.state = 'active' and t.agent_id is not null`,
      [taskId],
    );
    return place;
  }
}
