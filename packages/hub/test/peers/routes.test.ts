import { PeerCallError } from '@parley/protocol';
import { makeOnce, hubFor, onBothEngines } from '@parley/testkit';
import { describe, expect, test } from 'vitest';
import { PeerServiceKit } from '../kit/peers.ts';

describe('a hub that runs no peers', () => {
  const kit = hubFor('sqlite');

  test('[A2C-34] it says so, and how to get one', async () => {
    const { status, body } = await kit.owner.ask('getPeer', {});
    expect([status, body.error?.code, body.error?.message]).toEqual([503, 'peer_unavailable', expect.stringContaining('parley up')]);
  });
});

onBothEngines('a person’s own peer', (engine) => {
  const service = new PeerServiceKit();
  const kit = hubFor(engine, { peers: service });
  const ann = makeOnce(() => kit.person('ann'));

  test('[A2C-34] the calls go to the peer of the person who asks', async () => {
    await ann.call('makePeer', {});
    expect(await ann.call('getPeer', {})).toMatchObject({ address: 'agent:ann@localhost' });
    expect(await kit.owner.call('getPeer', {})).toMatchObject({ address: null });
    expect(service.calls.map(({ memberId }) => memberId)).toEqual([ann.id, ann.id, kit.owner.id]);
  });

  test('[A2C-34] a refusal of the service becomes an error of the API, with its text', async () => {
    const refused = async (error: Error) => {
      service.refusal = error;
      const { status, body } = await ann.ask('getPeer', {});
      return [status, body.error?.code, body.error?.message];
    };
    expect(await refused(new PeerCallError('refused', 'The peer is blocked. Unblock it first.'))).toEqual([
      409,
      'peer_refused',
      'The peer is blocked. Unblock it first.',
    ]);
    expect(await refused(new PeerCallError('unavailable', 'The worker stopped.'))).toEqual([
      503,
      'peer_unavailable',
      'The worker stopped.',
    ]);
    expect(await refused(new Error('secret of the negotiation'))).toEqual([503, 'peer_unavailable', expect.not.stringContaining('secret')]);
  });

  test('[A2C-39] a calendar with a long address can be removed again', async () => {
    const url = `https://dav.example/calendars/${'a'.repeat(400)}/basic.ics`;
    await ann.call('removePeerCalendar', { query: { name: url } });
    expect(service.calls.at(-1)).toMatchObject({ memberId: ann.id, command: 'removeCalendar', argument: { name: url } });
  });

  test('[SYS-9] an agent’s token reaches no peer', async () => {
    const before = service.calls.length;
    const agent = await kit.agent('helper', ann);
    for (const name of ['getPeer', 'makePeer', 'listNegotiations', 'listPeerMemory'] as const)
      expect((await agent.ask(name, {})).status).toBe(403);
    expect(service.calls.length).toBe(before);
  });

  test('[SYS-11] nor the operator, nor a session that another member’s link opened', async () => {
    const before = service.calls.length;
    expect((await kit.operator.ask('getPeer', {})).status).toBe(403);
    const { url } = await kit.owner.call('createSignInLink', { body: { memberId: ann.id } });
    const opened = await fetch(`${kit.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: url.split('#')[1] }),
    });
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
    const answer = await fetch(`${kit.url}/api/v1/peer`, { headers: { cookie } });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { error: expect.objectContaining({ code: 'forbidden', reason: 'peer.use:borrowed' }) },
    ]);
    expect(service.calls.length).toBe(before);
  });

  test('[A2C-34] a long calendar goes in, and the person’s own comes out as a file', async () => {
    const ics = `BEGIN:VCALENDAR\r\n${'X-LONG:x\r\n'.repeat(150_000)}END:VCALENDAR\r\n`;
    await ann.call('addPeerCalendar', { body: { kind: 'file', name: 'work', ics } });
    expect((service.calls.at(-1)!.argument as { ics: string }).ics.length).toBe(ics.length);
    const file = await fetch(`${kit.url}/api/v1/peer/calendar.ics`, { headers: { authorization: `Bearer ${ann.token}` } });
    expect([file.headers.get('content-type'), file.headers.get('content-disposition'), await file.text()]).toEqual([
      'text/calendar; charset=utf-8',
      'attachment; filename="calendar.ics"',
      'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n',
    ]);
  });
});
