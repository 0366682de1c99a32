// The notes of an agent for one turn (SYS-6). One transaction decides on their hearers and tags them.

import { hasPrivateNotes, notesFor, type NotesForTurn } from '@parley/core';
import type { Engine } from '../engine/engine.ts';
import type { HeldTask } from '../tools/tool-caller.ts';

/** `memory`, where nothing in it is private: no command is needed. */
export function notesOf(engine: Engine, held: HeldTask, memory: string, reaching: string[]): Promise<NotesForTurn> {
  return hasPrivateNotes(memory) ? engine.submit({ type: 'task.note', ...held, reaching }) : Promise.resolve(notesFor(memory, true));
}
