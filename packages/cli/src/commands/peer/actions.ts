// The actions that a person's peer offers in proposals.

import { randomBytes } from 'node:crypto';
import type { PeerActions } from '@parley/protocol';
import { printable, table } from '../../output.ts';
import { me } from '../../hints.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';

interface WebhookOptions {
  webhook: string;
  undo?: string;
}

export async function addAction(context: PeerCommandContext, name: string, { webhook, undo }: WebhookOptions): Promise<void> {
  const secret = randomBytes(32).toString('base64url');
  const action = { name, kind: 'webhook' as const, run: webhook, undo: undo ?? null };
  await withPeer(context, (peer) => peer.addAction({ ...action, secret }));
  const undoing = action.undo === null ? 'It cannot be undone.' : `It is undone by ${action.undo}.`;
  context.output.result(
    { ...action, secret },
    `Added ${name}: your proposals offer it from now on. ${undoing}\nIts calls are signed with this secret, which is not shown again:\n${secret}`,
  );
}

export async function listActions(context: PeerCommandContext): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.actions()));
}

export async function removeAction(context: PeerCommandContext, name: string): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.removeAction({ name })));
}

function print(context: PeerCommandContext, { actions }: PeerActions): void {
  const rows = actions.map(({ name, kind, run, undo }) => [name, kind, printable(run), undo === null ? '' : printable(undo)]);
  const none = `No action yet. Add one with \`${me} peer action add <name> --webhook <url>${inFolder(context)}\`.`;
  context.output.result({ actions }, rows.length === 0 ? none : table(['NAME', 'KIND', 'CALLS', 'UNDONE BY'], rows));
}
