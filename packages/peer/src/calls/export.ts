// Everything that a peer holds of its person, decrypted, for the person's own export. Keys, sessions, passwords and secrets are not part of it.

import { viewAction } from '../actions/configured-actions.ts';
import { viewModel } from '../brains/model-settings.ts';
import type { MachineRecord, ProfileRecord } from '../negotiate/negotiation-records.ts';
import { allRecords } from '../packets/peer-records.ts';
import type { RecordKind } from '../store/port.ts';
import type { OpenPeer } from './context.ts';

const kinds: readonly RecordKind[] = ['profile', 'peer', 'machine', 'packet', 'prompt', 'journal', 'memory', 'calendar', 'space'];

export async function exportOf(open: OpenPeer): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = { address: open.peer.address };
  for (const kind of kinds) {
    const values: unknown[] = [];
    for await (const { key, value } of allRecords(open.store, kind)) values.push({ key, value: exported(kind, value) });
    content[kind] = values;
  }
  return content;
}

const exported = (kind: RecordKind, value: unknown): unknown =>
  kind === 'profile' ? withoutSecrets(value as ProfileRecord) : kind === 'machine' ? withoutLinkKey(value as MachineRecord) : value;

function withoutLinkKey({ outside, ...record }: MachineRecord): object {
  if (!outside) return record;
  const { link, earlierLinks: _, ...person } = outside;
  return { ...record, outside: { ...person, ...(link ? { link: { id: link.id, expiresAt: link.expiresAt } } : {}) } };
}

/** An export is a plain file: a finder must not get into the person's calendars, or sign as their peer. */
const withoutSecrets = ({ servers = [], actions = [], model, ...profile }: ProfileRecord): object => ({
  ...profile,
  servers: servers.map(({ url, username }) => ({ url, username })),
  actions: actions.map(viewAction),
  ...(model ? { model: viewModel(model) } : {}),
});
