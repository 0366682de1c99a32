import { expect, test } from 'vitest';
import { withServer } from './personal-calendar.ts';

test('[A2C-29] a new password leaves a calendar in its place, so that the peer goes on writing to the same one', () => {
  const [first, second] = ['https://a.example/', 'https://b.example/'].map((url) => ({ url, username: 'ann', password: 'old' }));
  const both = withServer(withServer(undefined, first!), second!);
  expect(both).toEqual([first, second]);
  expect(withServer(both, { ...first!, password: 'new' })).toEqual([{ ...first, password: 'new' }, second]);
});
