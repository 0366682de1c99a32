import { startTestHub } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';

test('[SYS-11] a failure of the hub names the request, as the log does, and nothing else', async () => {
  const kit = await startTestHub('sqlite');
  onTestFinished(() => kit.stop());
  const conversationId = await kit.general();
  kit.hub.kernel.engine.submit = () => Promise.reject(new TypeError('secret detail'));
  const { status, body } = await kit.owner.ask('postMessage', { params: { conversationId }, body: { body: 'hi' } });
  expect([status, body.error?.code]).toEqual([500, 'internal']);
  expect(body.error?.message).toMatch(/^The hub failed\. Its log has the details\. Request: req-\w+\.$/);
});
