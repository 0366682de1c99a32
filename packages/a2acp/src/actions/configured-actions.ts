// Actions that a person configured under a name. They are offered to peers by that name, and nothing else of them leaves.

import { FieldName, type FreeFields, toBase64Url } from '@parley/protocol/relay';
import { PeerError } from '../peer/errors.ts';
import { randomBytes } from '../seal/sodium.ts';
import { mustBeWebhook } from './webhook.ts';

export interface ConfiguredAction {
  name: string;
  kind: 'webhook' | 'tool';
  /** An address, or the name of a tool. */
  run: string;
  undo: string | null;
  /** Signs the calls of a webhook. */
  secret: string;
}

/** Without the secret. */
export type ActionView = Omit<ConfiguredAction, 'secret'>;
export const viewAction = ({ name, kind, run, undo }: ConfiguredAction): ActionView => ({ name, kind, run, undo });

export type NewAction = Pick<ConfiguredAction, 'name' | 'kind' | 'run' | 'undo'>;

/** Names that the platform gives a meaning. */
const reserved = ['add_calendar_event', 'post_outcome'];
const most = 20;

export function addAction(actions: readonly ConfiguredAction[], action: NewAction): ConfiguredAction[] {
  const { name, kind, run, undo } = action;
  if (!FieldName.safeParse(name).success)
    throw new PeerError(
      'bad_input',
      `An action needs a name of up to 64 letters and digits, such as book_table; this one is ${JSON.stringify(name.slice(0, 100))}.`,
    );
  if (reserved.includes(name)) throw new PeerError('bad_input', `${name} is an action of Parley itself. Choose another name.`);
  if (actions.some((one) => one.name === name)) throw new PeerError('occupied', `There is an action ${name} already. Remove it first.`);
  if (actions.length >= most) throw new PeerError('bad_input', `A peer has at most ${most} actions. Remove one first.`);
  if (kind === 'webhook') for (const url of [run, undo]) if (url !== null) mustBeWebhook(url);
  return [...actions, { ...action, secret: toBase64Url(randomBytes(32)) }];
}

export function removeAction(actions: readonly ConfiguredAction[], name: string): ConfiguredAction[] {
  if (!actions.some((one) => one.name === name))
    throw new PeerError(
      'unknown_id',
      `There is no action ${name}. There ${actions.length === 0 ? 'is none yet' : `are: ${actions.map((one) => one.name).join(', ')}`}.`,
    );
  return actions.filter((one) => one.name !== name);
}

/** The field `offered_actions`. */
export const offersOf = (actions: readonly ConfiguredAction[]): FreeFields[string][] =>
  actions.map(({ name, undo }) => ({ action: name, reversible: undo !== null }));
