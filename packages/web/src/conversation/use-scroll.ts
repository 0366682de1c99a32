// Where a reader is in a list that grows at both ends. At the end, the list stays at the end; anywhere else, the
// row at the top of the view stays where it is, whatever comes before it or changes height.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

type Jump = { to: 'end' } | { to: 'new' } | { to: 'row'; key: string };

interface ScrollInput {
  /** Changes whenever the rows do. */
  rows: readonly unknown[];
  /** The window ends before the conversation does, so its end is not the end. */
  openEnded: boolean;
  onNearTop: () => void;
  onNearEnd: () => void;
  /** The messages on screen may have changed. */
  onLook: (atEnd: boolean) => void;
}

export interface Scroll {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  onScroll: () => void;
  /** Done after the next time the rows are drawn. */
  jump: (jump: Jump) => void;
  isAtEnd: () => boolean;
  /** Far enough from the end to be offered a way back. */
  away: boolean;
}

const near = 500;
const rowSelector = '[data-row]';

export function useScroll({ rows, openEnded, onNearTop, onNearEnd, onLook }: ScrollInput): Scroll {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const anchor = useRef<{ key: string; top: number } | null>(null);
  const lastTop = useRef(0);
  const wanted = useRef<Jump | null>(null);
  const [away, setAway] = useState(false);
  const [, redraw] = useState(0);
  const look = useRef({ openEnded, onNearTop, onNearEnd, onLook });
  // Before the layout effects below, which ask it.
  useLayoutEffect(() => {
    look.current = { openEnded, onNearTop, onNearEnd, onLook };
  });

  const note = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    const left = box.scrollHeight - box.scrollTop - box.clientHeight;
    atEnd.current = left < 60 && !look.current.openEnded;
    setAway(left > 600 || look.current.openEnded);
    anchor.current = topRow(box);
    lastTop.current = box.scrollTop;
    if (box.scrollTop < near) look.current.onNearTop();
    if (left < near && look.current.openEnded) look.current.onNearEnd();
    look.current.onLook(atEnd.current);
  }, []);

  const settle = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    if (!perform(box, wanted)) {
      if (atEnd.current) box.scrollTop = box.scrollHeight;
      else if (anchor.current) {
        const row = rowOf(box, anchor.current.key);
        if (row) box.scrollTop += topIn(box, row) - anchor.current.top;
      }
    }
    note();
  }, [note]);

  // Away from the end the reader goes by scrolling back, and by nothing else: when the list has less room than before, a
  // scroll of its own may be reported first, and its end looks far away.
  const scrolled = useCallback(() => {
    const box = scroller.current;
    if (box && atEnd.current && box.scrollTop >= lastTop.current) settle();
    else note();
  }, [settle, note]);

  useLayoutEffect(settle, [settle, rows]);

  useEffect(() => {
    // Pictures arrive, panels open, a phone's keyboard comes up.
    const observer = new ResizeObserver(settle);
    if (content.current) observer.observe(content.current);
    if (scroller.current) observer.observe(scroller.current);
    const lookAgain = () => look.current.onLook(atEnd.current);
    addEventListener('focus', lookAgain);
    document.addEventListener('visibilitychange', lookAgain);
    return () => {
      observer.disconnect();
      removeEventListener('focus', lookAgain);
      document.removeEventListener('visibilitychange', lookAgain);
    };
  }, [settle]);

  const jump = useCallback((to: Jump) => {
    wanted.current = to;
    redraw((count) => count + 1);
  }, []);
  // A jump asked for without new rows still has to happen.
  useLayoutEffect(() => {
    if (wanted.current) settle();
  });

  return { scroller, content, onScroll: scrolled, jump, isAtEnd: () => atEnd.current, away };
}

/** Says whether there was somewhere to go; a jump to a row that is not drawn yet stays wanted. */
function perform(box: HTMLElement, wanted: { current: Jump | null }): boolean {
  const jump = wanted.current;
  if (!jump) return false;
  if (jump.to === 'end') box.scrollTop = box.scrollHeight;
  else if (jump.to === 'new') {
    const line = box.querySelector('[data-new]');
    box.scrollTop = line ? box.scrollTop + topIn(box, line) - box.clientHeight * 0.25 : box.scrollHeight;
  } else {
    const row = rowOf(box, jump.key);
    if (!row) return false;
    box.scrollTop += topIn(box, row) - Math.max(0, (box.clientHeight - row.clientHeight) / 2);
  }
  wanted.current = null;
  return true;
}

const topIn = (box: Element, row: Element) => row.getBoundingClientRect().top - box.getBoundingClientRect().top;
const rowOf = (box: Element, key: string) => box.querySelector(`[data-row="${CSS.escape(key)}"]`);

function topRow(box: HTMLElement): { key: string; top: number } | null {
  for (const row of box.querySelectorAll<HTMLElement>(rowSelector)) {
    const top = topIn(box, row);
    if (top + row.offsetHeight > 0) return { key: row.dataset['row'] ?? '', top };
  }
  return null;
}

/** The newest message that was on screen to its end, or filled it. */
export function lastSeen(box: HTMLElement): number {
  const height = box.clientHeight;
  let seen = 0;
  for (const row of box.querySelectorAll<HTMLElement>('[data-seq]')) {
    const top = topIn(box, row);
    if (top + Math.min(row.offsetHeight, height * 0.5) > height + 4) break;
    seen = Number(row.dataset['seq']);
  }
  return seen;
}
