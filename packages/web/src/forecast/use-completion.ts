import { useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, RefObject } from 'react';
import { choicesFor, complete, takesEnter, typedAt } from './completion.ts';
import type { Choice } from './completion.ts';
import type { RoomAgent } from './room.ts';

interface Input {
  area: RefObject<HTMLTextAreaElement | null>;
  text: string;
  onText: (text: string) => void;
  here: readonly RoomAgent[];
  /** Members who are not here. */
  elsewhere: readonly RoomAgent[];
  myId: string;
}

export interface Completion {
  listId: string;
  choices: readonly Choice[];
  /** The one Enter takes; -1: Enter is not ours, it sends. */
  active: number;
  /** The text as Enter would make it. */
  ahead: string;
  pick: (choice: Choice) => void;
  /** Says whether the key was meant for the list. */
  onKey: (event: KeyboardEvent) => boolean;
  /** The caret moved; null: it left. */
  onCaret: (caret: number | null) => void;
}

const none: readonly Choice[] = [];

export function useCompletion({ area, text, onText, here, elsewhere, myId }: Input): Completion {
  const listId = useId();
  const [caret, setCaret] = useState<number | null>(null);
  const [moved, setMoved] = useState<{ at: string; to: number } | null>(null);
  /** Where Escape was pressed: it does not open there again. */
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const nextCaret = useRef<number | null>(null);

  const typed = useMemo(() => (caret === null ? null : typedAt(text, caret)), [text, caret]);
  const choices = useMemo(() => {
    if (!typed || typed.start === closedAt) return none;
    const found = choicesFor(typed, here, myId, elsewhere);
    // Typed in full, and nothing else it could become.
    return found.length === 1 && !takesEnter(typed, found) && typed.query !== '' ? none : found;
  }, [typed, closedAt, here, elsewhere, myId]);
  const at = typed ? `${typed.start} ${typed.query}` : '';
  const active = moved?.at === at ? moved.to : typed && takesEnter(typed, choices) ? 0 : -1;

  // After every drawing: only then is the text in the field to put the caret in.
  useLayoutEffect(() => {
    const to = nextCaret.current;
    if (to === null) return;
    nextCaret.current = null;
    area.current?.setSelectionRange(to, to);
  });

  const pick = (choice: Choice) => {
    if (!typed) return;
    const done = complete(text, typed, choice.handle);
    nextCaret.current = done.caret;
    setCaret(done.caret);
    onText(done.text);
  };

  const ahead = typed && active >= 0 && choices[active] ? complete(text, typed, choices[active].handle).text : text;

  const onKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    if (choices.length === 0) return false;
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      const from = active === -1 && step === -1 ? 0 : active;
      setMoved({ at, to: (from + step + choices.length) % choices.length });
    } else if (key === 'Escape') setClosedAt(typed?.start ?? null);
    else if (key === 'Tab' && !shiftKey) pick(choices[Math.max(active, 0)]!);
    else if (key === 'Enter' && !shiftKey && active >= 0) pick(choices[active]!);
    else return false;
    return true;
  };

  const onCaret = (to: number | null) => {
    setCaret(to);
    if (to === null || !typedAt(text, to)) setClosedAt(null);
  };
  return { listId, choices, active, ahead, pick, onKey, onCaret };
}
