import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkpoint, ContactMatrix, Contacts, CreatedToken, Task } from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, parley } from '../in-process.ts';
import { type RunOptions, type Running, up } from '../kit.ts';

let cwd: string;
let hub: Running;
let here: RunOptions;
let ada: RunOptions;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
  here = { cwd };
  hub = await up([], { cwd, env: { PARLEY_ALL_WITHOUT_CONFIRMATION: '1' } });
  await ask(['member', 'add', 'ada', '--role', 'owner'], here);
  const { secret } = await ask<CreatedToken>(['token', 'create', '--member', 'ada', '--label', 'test'], here);
  ada = { cwd, env: { PARLEY_TOKEN: secret } };
});
afterAll(async () => {
  await hub.stop();
  await rm(cwd, { recursive: true });
});

it('[IAC-12] contacts: rules, the mode, and a matrix that says who may contact whom and why', async () => {
  expect(await ask<Contacts>(['contacts', 'allow', 'ORAC', 'STEF', '--needs-approval'], ada)).toMatchObject({
    mode: 'autonomous',
    rules: [{ permission: 'allow', requiresApproval: true }],
  });
  await ask(['contacts', 'deny', '^STEF', 'all'], ada);
  expect(await parley(['contacts', 'list', 'ORAC'], ada)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\^ORAC is autonomous\.\nTARGET.*\n\^STEF +allowed +needs approval\n$/),
  });
  expect(await parley(['contacts', 'matrix'], ada)).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /FROM +TO +MAY CONTACT +BECAUSE\n\^ORAC +\^STEF +needs approval: a contact rule requires it +a rule allows this agent\n\^STEF +\^ORAC +no +a rule denies all\n$/,
    ),
  });
  expect((await ask<ContactMatrix>(['contacts', 'matrix', 'STEF'], ada)).pairs).toHaveLength(1);
  await ask(['contacts', 'clear', 'ORAC', 'STEF'], ada);
  await ask(['contacts', 'clear', 'STEF', 'all'], ada);
  expect((await parley(['contacts', 'list', 'STEF'], here)).out).toContain('it may contact every agent.');
  expect((await parley(['contacts', 'matrix', 'STEF'], here)).out).toMatch(/\^ORAC +yes +no rule is about it\n$/);
  expect(await parley(['contacts', 'mode', 'ORAC', 'wild'], ada)).toMatchObject({ code: 2, err: expect.stringContaining('strict') });
  expect(await parley(['contacts', 'deny', 'ada', 'all'], here)).toMatchObject({ code: 2, err: expect.stringContaining('is a person') });
});

it('[SYS-1] [IAC-12] inbox lists what needs approval, and approve and deny answer it, once', async () => {
  expect(await parley(['contacts', 'mode', 'ORAC', 'strict'], ada)).toMatchObject({ code: 0, out: '^ORAC is strict.\n' });
  expect((await parley(['contacts', 'list', 'ORAC'], ada)).out).toContain('it may contact every agent, each time with approval.');
  const inbox = async () => (await ask<{ checkpoints: Checkpoint[] }>(['inbox'], ada)).checkpoints;
  const waits = () =>
    waitFor(async () => {
      const found = await inbox();
      expect(found).toHaveLength(1);
      return found[0]!;
    });
  await ask(['send', 'general', '^ORAC who is here?'], ada);
  const asked = await waits();
  expect((await parley(['inbox'], ada)).out).toMatch(
    /^chk_\w+ {2}ORAC wants to use \w+:\n {2}Arguments: .*\n {2}Its behaviour mode requires approval for this\.\n {2}Approve before \d+ \w+ 20\d\d, [\d:]+ UTC\.\n {2}about msg_\w+\n {2}approve {2}Approve\n {2}deny {2}Deny\n$/,
  );
  // Which one it means is not guessed: the choice comes with the id.
  expect(await parley(['inbox', 'deny'], ada)).toMatchObject({
    code: 2,
    err: expect.stringMatching(new RegExp(`Which one\\?[^]*inbox ${asked.id} deny`)),
  });
  expect(await parley(['inbox', 'always', asked.id], ada)).toMatchObject({ code: 2, err: expect.stringContaining('approve, deny') });
  expect(await parley(['inbox', 'deny', asked.id], ada)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Answered: Deny, by @ada, \d+ \w+ 20\d\d, [\d:]+ UTC\./),
  });
  const second = await parley(['inbox', 'approve', asked.id], ada);
  expect(second).toMatchObject({ code: 1, out: '', err: expect.stringContaining('It was answered before: Deny.') });
  expect(await parley(['inbox', 'deny', asked.id], ada)).toMatchObject({ code: 0, err: expect.stringContaining('It was answered before') });
  expect(await inbox()).toEqual([]);
  await waitFor(async () => {
    const { tasks } = await ask<{ tasks: Task[] }>(['tasks', '--all'], ada);
    expect(tasks.map(({ state }) => state)).toEqual(['declined']);
  });
  // What was answered, and by whom, is there to be read when its task is over.
  expect((await parley(['inbox', '--all'], ada)).out).toMatch(
    /^chk_\w+ {2}ORAC wants to use \w+:\n {2}Arguments: .*\n.*\n {2}about msg_\w+\n {2}Answered: Deny, by @ada, \d+ \w+ 20\d\d, [\d:]+ UTC\.\n$/,
  );
  expect(await parley(['inbox', 'approve'], ada)).toMatchObject({ code: 2, err: expect.stringContaining('chk_') });
});

it('[PAP-3] send shows how many agents ^ALL wakes and what it may cost, and sends it when that is confirmed', async () => {
  const refused = await parley(['send', 'general', '^ALL report'], ada);
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(/\^ALL would wake 2 agents, a turn each\. (Estimated cost: \$|There are no past turns)[^]*--confirm-all 2/),
  });
  expect((await parley(['send', 'general', '^ALL report', '--confirm-all', 'two'], ada)).code).toBe(2);
  expect(await parley(['send', 'general', '^ALL report', '--confirm-all', '2'], ada)).toMatchObject({ code: 0 });
});
