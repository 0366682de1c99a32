// Actions that a person configured under a name. They are offered to peers by that name, and nothing else of them leaves.

import { badInput, type PeerAction, PeerCallError } from '@parley/protocol';
import { FieldName, type FreeFields, toBase64Url } from '@parley/protocol/relay';
import { offersField } from '../negotiate/meetings/intent-words.ts';
import type { ProfileRecord } from '../negotiate/negotiation-records.ts';
import { randomBytes } from '../seal/sodium.ts';
import { postService } from './handlers.ts';
import type { ActionHandlers } from './port.ts';
import { mustBeWebhook } from './webhook.ts';

export interface ConfiguredAction extends PeerAction {
  /** Signs the calls of a webhook. */
  secret: string;
}

/** Without the secret. */
export function viewAction(action: ConfiguredAction): PeerAction {
  const { secret: _, ...shown } = action;
  return shown;
}

export interface NewAction extends PeerAction {
  /** Chosen by the person, who checks signatures with it; left out, it is random. */
  secret?: string | undefined;
}

/** Names that the platform gives a meaning. */
const reserved = ['add_calendar_event', 'post_outcome'];
const most = 20;

export function addAction(actions: readonly ConfiguredAction[], action: NewAction): ConfiguredAction[] {
  const { name, kind, run, secret = toBase64Url(randomBytes(32)), audience } = action;
  // A post is taken back where it was posted.
  const undo = kind === 'channel' ? run : action.undo;
  if (!FieldName.safeParse(name).success)
    throw badInput(
      `An action needs a name of up to 64 letters and digits, such as book_table; this one is ${JSON.stringify(name.slice(0, 100))}.`,
    );
  if (reserved.includes(name)) throw badInput(`${name} is an action of Parley itself. Choose another name.`);
  if (actions.some((one) => one.name === name)) throw new PeerCallError('occupied', `There is an action ${name} already. Remove it first.`);
  if (actions.length >= most) throw badInput(`A peer has at most ${most} actions. Remove one first.`);
  if (kind === 'webhook') for (const url of [run, undo]) if (url !== null) mustBeWebhook(url);
  if (kind === 'channel' && audience === undefined) throw badInput('A channel is of a hub. Add this action on the page of your hub.');
  return [...actions, { name, kind, run, undo, secret, ...(audience === undefined ? {} : { audience }) }];
}

/** An action is added to be offered; `never` for the field keeps all of them back. */
export const withOffers = (profile: ProfileRecord): ProfileRecord => ({
  ...profile,
  rules: { ...profile.rules, base: { [offersField]: 'always_share', ...profile.rules.base } },
});

export const withAction = (profile: ProfileRecord, action: NewAction): ProfileRecord =>
  withOffers({ ...profile, actions: addAction(profile.actions ?? [], action) });

export function removeAction(actions: readonly ConfiguredAction[], name: string): ConfiguredAction[] {
  if (!actions.some((one) => one.name === name))
    throw new PeerCallError(
      'unknown_id',
      `There is no action ${name}. There ${actions.length === 0 ? 'is none yet' : `are: ${actions.map((one) => one.name).join(', ')}`}.`,
    );
  return actions.filter((one) => one.name !== name);
}

/** The field `offered_actions`: what the person configured, then what the host offers for them. */
export const offersOf = (actions: readonly ConfiguredAction[], handlers: ActionHandlers = {}): FreeFields[string][] => [
  ...actions.map(({ name, undo, audience }) => ({
    action: name,
    reversible: undo !== null,
    ...(audience === undefined ? {} : { service: postService(audience) }),
  })),
  ...Object.entries(handlers)
    .filter(([name]) => !reserved.includes(name) && !actions.some((one) => one.name === name))
    .map(([name, { undo }]) => ({ action: name, reversible: undo !== undefined })),
];
