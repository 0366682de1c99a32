// The page for somebody without an agent (A2C-11). Looking at it shows nothing: only the button opens the link, and only once.

import type { LinkAnswer, LinkRequest } from '@parley/core/sealed-request';
import './page.css';
import { element, paragraph, show } from './elements.ts';
import { CallError, OpenLink } from './link-calls.ts';

const linkForm = /^\/g\/([\w-]{22})$/;
const keyForm = /^#([\w-]{43})$/;

const title = (text: string): HTMLElement => element('h1', {}, text);

function whenText({ reason }: CallError): string {
  const at = new Date(reason ?? '');
  return Number.isNaN(at.getTime()) ? 'before' : `on ${at.toLocaleString([], { dateStyle: 'long', timeStyle: 'short' })}`;
}

function problemText(error: unknown): string {
  if (error instanceof CallError && error.code === 'link_opened')
    return `This link was opened ${whenText(error)}, and works only in the browser tab where it was opened. Go back to that tab. If it is closed, or it was not you, ask the sender for a new link.`;
  if (error instanceof CallError && error.code === 'already_answered' && error.reason !== undefined)
    return `This request was answered ${whenText(error)}. If it was not you, tell the sender.`;
  if (error instanceof CallError && error.code === 'link_spent')
    return 'This link has expired, was revoked, or never existed. Ask the sender for a new one.';
  if (error instanceof CallError) return error.message;
  if (error instanceof DOMException) return 'The link is not complete: its last part is wrong. Copy it again from the message.';
  return 'The hub cannot be reached. Check your connection, and try again.';
}

function begin(): void {
  const [, id] = linkForm.exec(location.pathname) ?? [];
  const [, key] = keyForm.exec(location.hash) ?? [];
  if (id === undefined || key === undefined)
    return show(title('This link is not complete'), paragraph('Copy the whole link from the message, also what follows the #.'));
  if (!isSecureContext)
    return show(
      title('This page needs https'),
      paragraph('Without it a browser cannot open the request. Ask the sender for a text instead.'),
    );
  const link = new OpenLink(id, key);
  const problem = paragraph('', 'problem');
  const button = element('button', { type: 'button' }, 'Show the request');
  button.addEventListener('click', () => void openLink(link, button, problem));
  show(
    title('Somebody has a request for you'),
    paragraph('It opens once, and only in this tab: keep the tab until you have answered. You need no account.'),
    button,
    problem,
  );
}

async function openLink(link: OpenLink, button: HTMLButtonElement, problem: HTMLElement): Promise<void> {
  button.disabled = true;
  try {
    const request = await link.open();
    showRequest(link, request);
  } catch (error) {
    problem.textContent = problemText(error);
    button.disabled = false;
  }
}

function choice(value: string, text: string): HTMLElement {
  const input = element('input', { type: 'radio', name: 'answer', value, required: true });
  return element('label', { className: 'choice' }, input, element('span', {}, text));
}

function showRequest(link: OpenLink, { to, from, request, times, zone }: LinkRequest): void {
  const words = element('textarea', { name: 'text', maxLength: 500 });
  const problem = paragraph('', 'problem');
  problem.setAttribute('role', 'alert');
  const button = element('button', { type: 'submit' }, 'Send the answer');
  const label = element('span', {}, wordsLabel(''));
  // The page says what is missing, in every browser alike.
  const form = element(
    'form',
    { noValidate: true },
    element(
      'fieldset',
      {},
      element('legend', {}, times.length === 1 ? 'Would this time suit you?' : 'Which time suits you?'),
      ...times.map((time) => choice(time.hash, time.words)),
      choice('other', 'Another time'),
      choice('cannot', 'I can’t'),
    ),
    element('label', { className: 'words' }, label, words),
    button,
    problem,
  );
  form.addEventListener('change', () => {
    words.required = picked(form) === 'other';
    words.placeholder = words.required ? 'Such as Saturday 20:00' : '';
    label.textContent = wordsLabel(picked(form));
    problem.textContent = '';
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const missing = missingText(picked(form), words.value);
    problem.textContent = missing ?? '';
    if (missing !== undefined) return (picked(form) === 'other' ? words : form.querySelector('input')!).focus();
    void sendAnswer(link, answerIn(form, words.value.trim()), { from, button, problem });
  });
  show(
    title(`${from} asks: ${request}`),
    paragraph(`Hi ${to}, ${from} would like to arrange this with you.`),
    form,
    paragraph(`Times are in the zone ${zone}. ${from} gets your answer and confirms it. Then it is fixed.`, 'quiet'),
  );
}

const wordsLabel = (answer: string): string => (answer === 'other' ? 'Which time would suit you? (required)' : 'A few words (optional)');

function missingText(answer: string, words: string): string | undefined {
  if (answer === '') return 'Nothing is chosen yet. Choose a time, “Another time” or “I can’t”.';
  return answer === 'other' && words.trim() === '' ? 'The other time is missing. Write when it would suit you.' : undefined;
}

const picked = (form: HTMLFormElement): string => (form.elements.namedItem('answer') as RadioNodeList).value;

function answerIn(form: HTMLFormElement, text: string): LinkAnswer {
  const value = picked(form);
  if (value === 'other' || value === 'cannot') return { kind: value, hash: null, text };
  return { kind: 'works', hash: value, text };
}

interface FormParts {
  from: string;
  button: HTMLButtonElement;
  problem: HTMLElement;
}

async function sendAnswer(link: OpenLink, answer: LinkAnswer, { from, button, problem }: FormParts): Promise<void> {
  button.disabled = true;
  try {
    await link.answer(answer);
    show(title('Thank you'), paragraph(`${from} gets your answer. You can close this page.`));
  } catch (error) {
    problem.textContent = problemText(error);
    button.disabled = false;
  }
}

begin();
