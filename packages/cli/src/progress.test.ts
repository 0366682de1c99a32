import { expect, test } from 'vitest';
import { ProgressLine } from './progress.ts';

function screen(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 60, written, write: (text: string) => written.push(text) };
}

test('a terminal gets one line that is drawn again, with how much of how much and the time left', () => {
  const [terminal, clock] = [screen(true), { now: 0 }];
  const line = new ProgressLine(terminal, () => clock.now);
  for (let done = 0; done <= 10_000; done += 100) {
    clock.now += 50;
    line.show({ act: 'Saving rows', done, total: 10_000, unit: 'row' });
  }
  line.clear();
  expect(terminal.written[0]).toBe('\r\u001B[KSaving rows: 1,900 of 10,000 rows (19 %), about 4 s left');
  expect(terminal.written.at(-1)).toBe('\r\u001B[K');
  expect(terminal.written.every((text) => !text.includes('\n'))).toBe(true);
});

test('a pipe gets a line every ten seconds, and short work nothing', () => {
  const [pipe, clock] = [screen(false), { now: 0 }];
  const line = new ProgressLine(pipe, () => clock.now);
  for (let done = 0; done < 25; done++) {
    clock.now += 1000;
    line.show({ act: 'Restoring', done: done * 1_000_000, total: 100_000_000, unit: 'byte' });
  }
  line.clear();
  expect(pipe.written).toEqual([
    'Restoring: 9.0 MB of 100.0 MB (9 %), about 2 min left\n',
    'Restoring: 19.0 MB of 100.0 MB (19 %), about 1 min left\n',
  ]);
});

test('an unknown total and a first percent promise no time', () => {
  const [pipe, clock] = [screen(false), { now: 0 }];
  const line = new ProgressLine(pipe, () => clock.now);
  clock.now = 10_000;
  line.show({ act: 'Checking rows', done: 1, total: 0, unit: 'row' });
  clock.now = 20_000;
  line.show({ act: 'Checking rows', done: 1000, total: 100_000, unit: 'row' });
  expect(pipe.written).toEqual(['Checking rows: 1 row\n', 'Checking rows: 1,000 of 100,000 rows (1 %)\n']);
});
