import { expect, test } from 'vitest';
import { compiler } from './tool-schema.ts';

test('a type that is none is told in words that whoever runs the server understands', async () => {
  const compile = await compiler();
  expect(() => compile({ type: 'object', properties: { at: { type: 'date' } } })).toThrow(
    'has a type that is none: date (there are string, number, integer, boolean, array, object and null)',
  );
  expect(compile({ type: 'object', properties: { at: { type: 'string' } } }).check({ at: 1 })).toBeTypeOf('string');
});
