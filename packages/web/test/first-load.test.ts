// What the built page loads before anything shows, as the hub sends it. A change that raises a number says why in its commit.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const dist = new URL('../dist/', import.meta.url);

/** The files that a page names, and what those import before they run. */
function filesOf(page: string): Map<string, number> {
  const found = new Map<string, number>();
  const waiting = [page];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const body = readFileSync(new URL(path, dist));
    found.set(path, gzipSync(body).length);
    const text = body.toString();
    if (path.endsWith('.html')) for (const [, name] of text.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)) waiting.push(name!);
    if (path.endsWith('.js'))
      for (const [, name] of text.matchAll(/(?:import|from)\s*["']\.\/([^"']+)["']/g)) waiting.push(`assets/${name}`);
  }
  return found;
}

test.each([
  ['index.html', 10, 190],
  ['g.html', 3, 4.2],
])('[SYS-4] %s loads few files of few bytes before anything shows', (page, most, kilobytes) => {
  const files = filesOf(page);
  const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
  expect(files.size, [...files.keys()].join(', ')).toBeLessThanOrEqual(most);
  expect(bytes).toBeLessThanOrEqual(kilobytes * 1000);
});
