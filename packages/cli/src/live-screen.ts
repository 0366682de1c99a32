// Redraws one screen of the terminal, and restores what it showed before.

import { styleText } from 'node:util';

const enter = '\u001B[?1049h\u001B[?25l';
const leave = '\u001B[?25h\u001B[?1049l';
const home = '\u001B[H';
const clearLine = '\u001B[K';
const clearBelow = '\u001B[J';

/** Draws every second until Ctrl-C, or q in a terminal that reads keys. */
export async function showLive(draw: () => Promise<string[]>, out: NodeJS.WriteStream, keys: NodeJS.ReadStream): Promise<void> {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const onKey = (key: Buffer): void => {
    if (['q', '\u0003', '\u001B'].includes(key.toString())) stop();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  if (keys.isTTY) keys.setRawMode(true).resume().on('data', onKey);
  out.write(enter);
  try {
    for (let isOpen = true; isOpen;) {
      const lines = await draw();
      const mostLines = out.rows - 1;
      const visible = lines.length > mostLines ? [...lines.slice(0, mostLines - 1), `… and ${lines.length - mostLines + 1} more`] : lines;
      const hint = styleText('dim', 'q or Ctrl-C ends', { stream: out });
      out.write(`${home}${[...visible, hint].map((line) => `${line}${clearLine}`).join('\n')}${clearBelow}`);
      isOpen = await Promise.race([stopped.then(() => false), pause(1000)]);
    }
  } finally {
    out.write(leave);
    for (const signal of signals) process.off(signal, stop);
    if (keys.isTTY) keys.off('data', onKey).setRawMode(false).pause();
  }
}

const pause = (ms: number): Promise<true> => new Promise((resolve) => setTimeout(() => resolve(true), ms).unref());
