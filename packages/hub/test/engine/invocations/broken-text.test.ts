// Text that no database keeps, from whoever writes it: it costs its own invocation, and nobody else anything.

import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { provokeFor } from '../../kit/provoke-runs.ts';

const numbers = { $schema: 'https://json-schema.org/draft/2020-12/schema', additionalProperties: { type: 'number' } };

onBothEngines('broken text', (engine) => {
  const world = provokeFor(engine);

  const lists = async (): Promise<number[]> => {
    const { owner } = world;
    const answers = [
      await owner.ask('listAgents', {}),
      await owner.ask('listEvents', { query: {} }),
      await owner.ask('listInvocations', { query: {} }),
    ];
    return answers.map(({ status }) => status);
  };

  test.each([
    ['half a character', 'a\\ud800b', 'a\\u{d800}b'],
    ['U+0000', 'a\\u0000b', 'a\\u{0}b'],
    ['a line of its own', 'a\\nb', 'a b'],
  ])('[PRV-13] a model names what does not fit with %s: that is why it failed, and all else can be read', async (_, name, told) => {
    const woken = await world.wakes([{ text: `{"${name}":"x"}` }], {
      output: { type: 'structured', schema: numbers },
      on_failure: { emit_event: `text.${engine}.failed` },
    });
    const { state, error } = await woken.run();
    expect({ state, error }).toEqual({ state: 'failed', error: `Its output does not fit its schema: ${told} must be number` });
    expect(await lists()).toEqual([200, 200, 200]);
  });

  test('[PRV-13] why it failed is no longer than can be read, however long the names are', async () => {
    const data = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}${'\u{1F600}'.repeat(1000)}`, 'x']));
    const { state, error } = await (
      await world.wakes([], { model: { provider: 'builtin' }, output: { type: 'structured', schema: numbers } })
    ).run(data);
    expect(state).toBe('failed');
    expect(error).toMatch(/^Its output does not fit its schema: 0\u{1F600}+… must be number/u);
    expect(error!.length).toBeLessThanOrEqual(2000);
  });

  test('[PRV-3] half a character packed into a CloudEvent is refused, as it is anywhere else', async () => {
    await world.put('manifest', { id: 'h', risk_level: 'low', output: { type: 'structured', schema: numbers } });
    await world.put('trigger', { id: 'h', agent: 'h', match: { type: 'text.packed.came' } });
    const answer = await fetch(`${world.kit.url}/api/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.owner.token}`, 'content-type': 'application/cloudevents+json' },
      body: JSON.stringify({ specversion: '1.0', id: 'p', type: 'text.packed.came', source: 's', data_base64: btoa('{"a\\ud800":"x"}') }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('data_base64');
    expect(await lists()).toEqual([200, 200, 200]);
  });
});
