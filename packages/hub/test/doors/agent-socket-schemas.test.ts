// The frames that docs/reference/agent-socket.md shows keep to the schemas that the hub publishes.

import { readFile } from 'node:fs/promises';
import { publishedSchemas, SchemaName } from '@parley/protocol';
import { startTestHub } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { compiler } from '../../src/tools/tool-schema.ts';

interface Frame {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
}

const page = new URL('../../../../docs/reference/agent-socket.md', import.meta.url);
/** IDs are shortened there, and fields left out. */
const whole = (text: string): string =>
  text
    .replaceAll(/"(\w+_)…"/g, `"$1${'0'.repeat(26)}"`)
    .replaceAll('"018f…"', '"018f0000-0000-7000-8000-000000000000"')
    .replaceAll(/, …(?= *})/g, '');

async function shownFrames(): Promise<Frame[]> {
  const blocks = [...(await readFile(page, 'utf8')).matchAll(/^```json\n([^]*?)^```/gm)].map(([, text]) => whole(text!));
  return blocks.flatMap((text) => text.split(/\n(?=\{)/).map((frame) => JSON.parse(frame) as Frame));
}

/** So that what an example leaves out is not missed. */
function withoutRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRequired);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name, value]) => name !== 'required' || !Array.isArray(value));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutRequired(value)]));
}

test('[SYS-8] every method has published schemas, and the frames of the docs keep to them', async () => {
  const kit = await startTestHub('sqlite');
  onTestFinished(() => kit.stop());
  const compile = await compiler();
  const checks = async (name: string) => {
    const { status, body } = await kit.operator.ask('getSchema', { params: { name: SchemaName.parse(name) } });
    expect(status, name).toBe(200);
    const { $schema: _, ...schema } = body as Record<string, unknown>;
    return (value: unknown, isWhole: boolean) => compile(isWhole ? schema : withoutRequired(schema)).check(value);
  };
  for (const name of Object.keys(publishedSchemas)) await checks(name);

  const frames = await shownFrames();
  const methods = new Map(frames.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [[id, method]])));
  expect(frames.length).toBeGreaterThan(5);
  for (const frame of frames) {
    const { id, method, params, result } = frame;
    const shown = JSON.stringify(frame);
    if (method === 'deliver') expect((await checks('agent_delivery'))(params, false), shown).toBeUndefined();
    else if (method === undefined) expect((await checks(`agent_result.${methods.get(id!)!}`))(result, false), shown).toBeUndefined();
    else {
      expect((await checks('agent_request'))(frame, true), shown).toBeUndefined();
      expect((await checks(`agent_params.${method}`))(params, true), shown).toBeUndefined();
      expect((await checks(`agent_params.${method}`))({ ...(params as object), surplus: 1 }, true), shown).toBeDefined();
    }
  }
});
