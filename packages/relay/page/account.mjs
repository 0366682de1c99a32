// The account page: asks the relay what to show, and the browser for a passkey.

const { browserSupportsWebAuthn, startAuthentication, startRegistration } = SimpleWebAuthnBrowser;

const byId = (id) => document.getElementById(id);
const sections = ['elsewhere', 'unsupported', 'sign-in', 'sign-up', 'ticket', 'account'];
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const time = (iso) => date.format(new Date(iso));

let state;

class Refused extends Error {
  constructor({ message, problems = [] }) {
    super(message);
    this.problems = problems;
  }
}

async function call(path, body) {
  const options = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`account/${path}`, options);
  const answer = await response.json();
  if (!response.ok) throw new Refused(answer.error);
  return answer;
}

function show(values) {
  for (const [name, text] of Object.entries(values))
    for (const element of document.querySelectorAll(`[data-show="${name}"]`)) element.textContent = text;
}

function reveal(...names) {
  for (const name of sections) byId(name).hidden = !names.includes(name);
}

function clearProblems() {
  byId('problem').hidden = true;
  for (const element of document.querySelectorAll('.problem')) element.textContent = '';
  for (const input of document.querySelectorAll('input')) input.removeAttribute('aria-invalid');
}

/** A problem stands beside its field; any other one above everything. */
function showProblem(error, prefix) {
  const fields = (error.problems ?? []).filter(({ field }) => byId(`${prefix}${field}-problem`));
  for (const { field, message } of fields) {
    byId(`${prefix}${field}-problem`).textContent = `This ${message}.`;
    byId(`${prefix}${field}`).setAttribute('aria-invalid', 'true');
  }
  if (fields.length > 0) return byId(`${prefix}${fields[0].field}`).focus();
  byId('problem').textContent =
    error.name === 'NotAllowedError'
      ? 'No passkey was used: the browser’s question was closed or took too long. Try again.'
      : error.message;
  byId('problem').hidden = false;
}

/** One act at a time, with its buttons off until it is done. */
async function act(words, work, prefix = '') {
  clearProblems();
  byId('progress').textContent = words;
  const buttons = [...document.querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  try {
    await work();
  } catch (error) {
    showProblem(error, prefix);
  } finally {
    byId('progress').textContent = '';
    for (const button of buttons) button.disabled = false;
  }
}

function showAccount(account) {
  const { address, email, key, isOnline, connectedAt } = account;
  show({
    address,
    email,
    name: nameOf(address),
    keyState: key ? `Registered ${time(key.registeredAt)}` : 'No key yet',
    fingerprint: key?.fingerprint ?? '',
    device: key ? String(key.device) : '',
    connection: isOnline ? 'Connected now' : connectedAt === null ? 'Never connected' : `Last connected ${time(connectedAt)}`,
    ticketTitle: key ? 'Replace a lost key' : 'Get a ticket',
    ticketText: key
      ? 'A new key takes your address over. Everybody who knows you is asked to compare safety numbers again. If you have a backup, restore it instead.'
      : 'A ticket registers the key that you make in a terminal.',
    ticketButton: key ? 'Replace key' : 'Make ticket',
  });
  for (const element of document.querySelectorAll('[data-with-key]')) element.hidden = !key;
  if (key) byId('qr').src = `account/qr.svg?${encodeURIComponent(key.registeredAt)}`;
  reveal('account');
}

async function load() {
  state = await call('state');
  show(state);
  document.title = `Account at ${state.relay}`;
  for (const link of document.querySelectorAll('[data-link="page"]')) link.href = state.page;
  if (new URL(state.page).origin !== location.origin) return reveal('elsewhere');
  if (!browserSupportsWebAuthn()) return reveal('unsupported');
  if (state.account) showAccount(state.account);
  else reveal('sign-in', 'sign-up');
}

async function showTicket({ code, expiresAt }) {
  await load();
  byId('command').textContent = `npx parley peer init --name ${nameOf(state.account.address)} --relay ${state.url} --code ${code}`;
  document.querySelector('[data-time="expiresAt"]').textContent = time(expiresAt);
  reveal('ticket');
  byId('ticket-title').focus();
}

const nameOf = (address) => address.slice('agent:'.length, address.lastIndexOf('@'));

async function openAccount() {
  byId('command').textContent = '';
  await load();
  byId('account-title').focus();
}

const acts = {
  'sign-in': () =>
    act('Waiting for your passkey…', async () => {
      const optionsJSON = await call('sign-in/options', {});
      await call('sign-in', { passkey: await startAuthentication({ optionsJSON }) });
      await openAccount();
    }),
  ticket: () => act('Making a ticket…', async () => showTicket((await call('ticket', {})).ticket)),
  copy: () =>
    act('', async () => {
      await navigator.clipboard.writeText(byId('command').textContent);
      setTimeout(() => (byId('progress').textContent = 'Copied'));
    }),
  'close-ticket': () => act('', openAccount),
  'sign-out': () =>
    act('Signing out…', async () => {
      await call('sign-out', {});
      await load();
    }),
};

for (const button of document.querySelectorAll('[data-act]')) button.addEventListener('click', acts[button.dataset.act]);

byId('name').addEventListener('input', ({ target }) => (byId('name-shown').textContent = target.value || 'name'));

byId('sign-up-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const fields = Object.fromEntries(new FormData(event.target));
  void act('Waiting for your passkey…', async () => {
    const optionsJSON = await call('sign-up/options', fields);
    const { ticket } = await call('sign-up', { passkey: await startRegistration({ optionsJSON }) });
    event.target.reset();
    await showTicket(ticket);
  });
});

byId('remove-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void act(
    'Removing the account…',
    async () => {
      await call('remove', Object.fromEntries(new FormData(event.target)));
      event.target.reset();
      await load();
      byId('progress').textContent = 'Account removed';
    },
    'remove-',
  );
});

void act('', load);
