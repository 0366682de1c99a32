import { startTestHub } from '@parley/testkit';
import { compileErrors, lintErrors } from '@parley/testkit/openapi';
import { expect, test } from 'vitest';

test('the OpenAPI document of a hub passes a linter, and a client can be generated from it', async () => {
  const kit = await startTestHub('sqlite');
  try {
    const answer = await fetch(new URL('/api/v1/openapi.json', kit.url));
    const document = (await answer.json()) as { servers: { url: string }[] };
    expect(document.servers[0]!.url).toBe(kit.url);
    expect(await lintErrors(document)).toEqual([]);
    const program = `import type { paths } from './api';
      type Post = paths['/api/v1/conversations/{conversationId}/messages']['post'];
      const body: Post['requestBody']['content']['application/json'] = { body: 'Hello' };
      export const shown = (message: Post['responses'][200]['content']['application/json']): string => message.id + body.body;`;
    expect(await compileErrors(document, program)).toEqual([]);
    const wrong = program.replace("body: 'Hello'", 'body: 5');
    expect(await compileErrors(document, wrong)).toEqual(["Type 'number' is not assignable to type 'string'."]);
  } finally {
    await kit.stop();
  }
});
