// What events have woken, on the page: the card of an agent that a manifest has brought, and what a person approves.

import { onBothEngines, waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { Person } from './person.ts';
import { browserFor, hubProcessFor, peopleFor } from './stage.ts';

const browser = browserFor();

onBothEngines('what events have woken, on the page', (engine) => {
  const hub = hubProcessFor(engine);
  const [ada] = peopleFor(browser, hub, 'Ada');

  let n = 0;
  const put = (kind: string, object: { id: string } & Record<string, unknown>, version = 0) =>
    ada.call('PUT', `/provoke/${kind}/${object.id}`, { version, object });
  const emit = (type: string, data: Record<string, unknown> = {}) =>
    ada.call<{ triggers: { invocationId: string }[] }>('POST', '/events', {
      pap_version: '0.2',
      id: `seen-${++n}`,
      type,
      time: '2026-03-11T06:00:00Z',
      data,
    });

  test('[PRV-11] [SYS-8] [PAP-14] its card says what wakes it, what it thinks with and when it asks, and that nothing wakes it any more', async () => {
    const doctor = { id: 'doctor', risk_level: 'low', deliver_to: { conversation: '#general' } };
    await put('manifest', doctor);
    await put('trigger', { id: 'disk-full', match: { type: 'disk.space.exceeded' }, agent: 'doctor' });
    await emit('disk.space.exceeded');
    const said = ada.message('disk.space.exceeded');
    await said.waitFor();
    const card = ada.page.getByRole('dialog', { name: 'doctor' });
    const open = async () => {
      await said.getByRole('button', { name: 'doctor', exact: true }).click();
      return card.getByRole('status', { name: 'Status' });
    };
    await (await open()).getByText('ready', { exact: true }).waitFor();
    await card.getByText('events, by the manifest doctor (version 1); trigger disk-full').waitFor();
    await card.getByText('when woken: plain words, no model', { exact: true }).waitFor();
    await card.getByText('when woken: never', { exact: true }).waitFor();
    await ada.page.keyboard.press('Escape');

    await put('manifest', { ...doctor, risk_level: 'high' }, 1);
    await open();
    await card.getByText('when woken: before each run: what it may do is of high risk', { exact: true }).waitFor();
    // It says what it does while one looks.
    const [waits] = (await emit('disk.space.exceeded')).triggers;
    await card.getByRole('status', { name: 'Status' }).getByText('waiting for approval').waitFor();
    await ada.call('POST', `/invocations/${waits!.invocationId}/cancel`);
    await card.getByRole('status', { name: 'Status' }).getByText('ready').waitFor();
    await card.getByText(/^cancelled, .*“A person stopped it\.”$/).waitFor();
    await ada.page.keyboard.press('Escape');

    await ada.call('DELETE', '/provoke/manifest/doctor?version=2');
    const status = await open();
    await waitFor(async () => expect(await status.innerText()).toBe('no event wakes it any more'));
    await card.getByText('no event any more: the manifest doctor was removed').waitFor();
    expect(await card.getByText('when woken').count()).toBe(0);
    await ada.page.keyboard.press('Escape');

    // Whose trigger it is has it in the inbox, once.
    for (let i = 0; i < 3; i++) await emit('disk.space.exceeded');
    await ada.page.getByRole('button', { name: 'Waiting for you 1' }).click();
    const idle = ada.page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Your trigger disk-full fired and woke nobody.' });
    await idle.getByText(/There is no manifest doctor that its owner may use\./).waitFor();
    await idle.getByRole('button', { name: 'Noted' }).click();
    await ada.page.keyboard.press('Escape');
  });

  test('[PRV-11] [C2A-29] [IAC-18] what an approval is for can be read: trigger, manifest, tools, the event in a block of its own, why and until when', async () => {
    await put('manifest', { id: 'payer', risk_level: 'high' });
    await put('trigger', { id: 'bills', match: { type: 'bill.amount.exceeded' }, agent: 'payer' });
    await emit('bill.amount.exceeded', { amount: 12, note: `x\nTools: no tools${' '.repeat(300)}Manifest: harmless` });
    // Nobody is at work, and that is not all there is to say.
    await ada.link(/^Work/).click();
    for (const state of ['open', 'all']) {
      await ada.page.getByLabel('State').selectOption(state);
      await ada.page.getByText('^payer waits for your approval, woken by an event.').waitFor();
      await ada.page.getByText('Approvals are under “Waiting for you”.').waitFor();
      expect(await ada.page.getByText(/^(No agent|Nobody) /).count()).toBe(0);
    }
    await ada.page.getByRole('button', { name: /^Waiting for you/ }).click();
    const asked = ada.page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'payer was woken by an event' });
    const lines = 'Trigger: bills\nManifest: payer (version 1)\nTools: no tools\nSent by: @ada';
    await asked.getByText(`${lines}\nResult: only kept`, { exact: true }).waitFor();
    const event = asked.getByRole('figure', { name: 'The event' });
    await event.getByText(/"amount": 12/).waitFor();
    // What the monitor wrote stands in its block and nowhere else.
    expect(await asked.getByText('harmless').count()).toBe(1);
    expect(await event.getByText(/"note": "x\\nTools: no tools +Manifest: harmless"/).count()).toBe(1);
    await asked.getByText('Its manifest is of high risk (its manifest says so), and an event has woken it.').waitFor();
    await asked.getByText(/^Approve before .+\.$/).waitFor();
    await asked.getByRole('button', { name: 'Deny' }).click();
    await asked
      .getByRole('status')
      .getByText(/^Denied by @/)
      .waitFor();
    await ada.page.keyboard.press('Escape');
    // What ended had no task, and it was something all the same.
    await ada.page.getByText('No agent has had a task yet.').waitFor();
    await ada.page.getByText('Work that events started without a task is listed by npx parley invocations.').waitFor();
    await ada.page.getByLabel('State').selectOption('open');
    await ada.page.getByText('No agent is at work.').waitFor();
    await ada.link('general').click();
  });

  test('[PRV-11] [IAC-18] beside tasks, too, Work says who was woken; and it sends nobody where nothing waits for them', async () => {
    const { url } = await ada.call<{ url: string }>('POST', '/invitations', { role: 'member' });
    const ben = await Person.at(browser);
    await ben.join(url, 'Ben');
    await put('manifest', { id: 'buyer', risk_level: 'high' });
    await put('trigger', { id: 'buys', match: { type: 'stock.level.dropped' }, agent: 'buyer' });
    const [waits] = (await emit('stock.level.dropped')).triggers;
    await ben.link(/^Work/).click();
    await ben.page.getByText('^buyer waits for a person’s approval, woken by an event.').waitFor();
    expect(await ben.page.getByText('Waiting for you”').count()).toBe(0);
    await ben.link('general').click();
    await ben.say('^ORAC hello');
    await ben.link(/^Work/).click();
    await ben.page.getByLabel('State').selectOption('all');
    await ben.page.getByRole('list', { name: 'Chains' }).getByText('^ORAC', { exact: true }).waitFor();
    await ben.page.getByText('^buyer waits for a person’s approval, woken by an event.').waitFor();
    await ada.call('POST', `/invocations/${waits!.invocationId}/cancel`);
    await ben.context.close();
  });

  test('[PRV-11] what an approval would not run any more says so before one answers', async () => {
    await put('manifest', { id: 'cleaner', risk_level: 'high' });
    await put('trigger', { id: 'cleans', match: { type: 'disk.clean.asked' }, agent: 'cleaner' });
    const [waits] = (await emit('disk.clean.asked')).triggers;
    await ada.page.getByRole('button', { name: 'Waiting for you 1' }).waitFor();
    await put('manifest', { id: 'cleaner', risk_level: 'high', description: 'Another.' }, 1);
    const asked = ada.page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'cleaner was woken by an event' });
    const open = () => ada.page.getByRole('button', { name: 'Waiting for you 1' }).click();
    await open();
    const again = `Approving it only lets it expire; then npx parley invocations ask ${waits!.invocationId} requests the current version.`;
    await asked.getByText(`The manifest was changed since this was asked: approving it would not run it. ${again}`).waitFor();
    expect(await asked.getByText('Approve before').count()).toBe(0);
    await ada.page.keyboard.press('Escape');
    await ada.call('DELETE', '/provoke/trigger/cleans?version=1');
    await open();
    await asked
      .getByText('The trigger or its agent was removed since this was asked: approving it would not run it.', { exact: true })
      .waitFor();
    await asked.getByRole('button', { name: 'Deny' }).click();
    await asked
      .getByRole('status')
      .getByText(/^Denied by @/)
      .waitFor();
    await ada.page.keyboard.press('Escape');
  });

  test('[PRV-11] [C2A-29] a second click in the same place answers nothing else: what was answered stays where it was', async () => {
    await put('manifest', { id: 'wiper', risk_level: 'high' });
    await put('trigger', { id: 'wipes', match: { type: 'disk.wipe.asked' }, agent: 'wiper' });
    // Three fill the dialog: it is as high with two.
    for (let left = 3; left > 0; left--) await emit('disk.wipe.asked');
    await ada.page.getByRole('button', { name: 'Waiting for you 3' }).click();
    const dialog = ada.page.getByRole('dialog');
    const approve = dialog.getByRole('button', { name: 'Approve' });
    await approve.nth(2).waitFor();
    await approve.first().click({ trial: true });
    const { x, y, width, height } = (await approve.first().boundingBox())!;
    const click = () => ada.page.mouse.click(x + width / 2, y + height / 2);
    const answers: string[] = [];
    ada.page.on('request', (request) => request.method() === 'POST' && answers.push(request.url()));
    await click();
    await waitFor(async () => expect(await approve.count()).toBe(2));
    await click();
    // Whatever the click began has begun by then.
    await ada.page.evaluate(() => new Promise(requestAnimationFrame));
    expect(answers).toHaveLength(1);
    const { invocations } = await ada.call<{ invocations: { state: string; triggerId: string }[] }>('GET', '/invocations');
    const states = invocations.filter(({ triggerId }) => triggerId === 'wipes').map(({ state }) => state);
    expect(states.filter((state) => state === 'awaiting_approval')).toHaveLength(2);
    await dialog
      .getByRole('status')
      .getByText(/^Approved by @/)
      .waitFor();
    // On the answer's own card nothing is left to press; closed and opened again, only what waits is there.
    expect(await approve.count()).toBe(2);
    await ada.page.keyboard.press('Escape');
    await ada.page.getByRole('button', { name: 'Waiting for you 2' }).click();
    expect(await dialog.getByRole('listitem').count()).toBe(2);
    for (const n of [0, 1]) {
      const card = dialog.getByRole('listitem').nth(n);
      await card.getByRole('button', { name: 'Deny' }).click();
      await card
        .getByRole('status')
        .getByText(/^Denied by @/)
        .waitFor();
    }
    await dialog.getByText('Your inbox is empty.').waitFor();
    await ada.page.keyboard.press('Escape');
  });

  test('[PRV-11] [C2A-29] on a small screen its buttons are in sight and nothing scrolls inside; an approval in vain is said above the dialog', async () => {
    await put('manifest', { id: 'mover', risk_level: 'high' });
    await put('trigger', { id: 'moves', match: { type: 'disk.move.asked' }, agent: 'mover' });
    await emit('disk.move.asked', Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`part-${n}`, n])));
    await ada.page.getByRole('button', { name: /^Waiting for you/ }).click();
    await ada.page.setViewportSize({ width: 360, height: 740 });
    const dialog = ada.page.getByRole('dialog');
    const approve = dialog.getByRole('button', { name: 'Approve' });
    const event = dialog.getByRole('figure', { name: 'The event' }).locator('pre');
    const { y, height } = (await approve.boundingBox())!;
    expect(y + height).toBeLessThan(740);
    expect(await event.evaluate((block) => block.scrollHeight - block.clientHeight)).toBe(0);
    expect(await event.innerText()).toMatch(/^\{\n {2}"type": "disk.move.asked",\n {2}"data": \{/);
    await ada.call('DELETE', '/provoke/trigger/moves?version=1');
    await approve.click();
    const said = ada.page
      .locator('output', { hasText: 'It was approved, but was cancelled' })
      .filter({ hasNot: ada.page.getByRole('button') });
    await said.first().waitFor();
    expect(await said.first().evaluate((box) => box.matches(':popover-open'))).toBe(true);
    await ada.page.keyboard.press('Escape');
    await ada.page.setViewportSize({ width: 1280, height: 800 });
  });

  test('[PAP-14] [SYS-1] what has failed for a channel that is not there waits for its owner, who may not have looked just then', async () => {
    await put('manifest', { id: 'shouter', risk_level: 'low', deliver_to: { conversation: '#opss' } });
    await put('trigger', { id: 'shouts', match: { type: 'disk.noise.heard' }, agent: 'shouter' });
    await emit('disk.noise.heard');
    await ada.page.getByRole('button', { name: /^Waiting for you \d/ }).waitFor();
    await ada.page.reload();
    await ada.page.getByRole('button', { name: /^Waiting for you \d/ }).click();
    const failed = ada.page
      .getByRole('dialog')
      .getByRole('listitem')
      .filter({ hasText: 'The run that your trigger shouts started has failed' });
    await failed.getByText(/could not be delivered: “There is no such conversation/).waitFor();
    await failed.getByRole('button', { name: 'Noted' }).click();
    await ada.page.keyboard.press('Escape');
  });
});
