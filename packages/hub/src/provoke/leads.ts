// What a trigger, a manifest or a source names that is not there. It is told and not refused: what is missing may come later.

import { foldHandle, type Manifest, type Source, type Trigger } from '@parley/protocol';
import { type Keys, KeyRefused } from '../agents/keys.ts';
import { look } from '../engine/look.ts';
import { conversationNamed, whyNotPost } from '../engine/steps/deliveries.ts';
import { isUsable } from '../engine/steps/in-force.ts';
import { placeFor } from '../engine/steps/place.ts';
import { isLeftOff } from '../engine/steps/provoke.ts';
import { namedAgent } from '../engine/steps/provoked.ts';
import { asActor } from '../engine/steps/work.ts';
import type { WorkingSet } from '../engine/working-set.ts';
import type { Reader } from '../store/port.ts';
import type { MemberRow, ProvokeObjectRow } from '../store/tables.ts';

export async function warningsOf(store: Reader, keys: Pick<Keys, 'keyFor'>, row: ProvokeObjectRow): Promise<string[]> {
  const secret = secretOf(row);
  return [
    ...(isLeftOff(row) ? ['It is off because whoever it ran as has left: its file has to name an owner.'] : []),
    ...(row.kind === 'trigger' || row.kind === 'manifest' ? await look(store, [], (set) => nowhere(row, set)) : []),
    ...(secret === undefined ? [] : await secretWarnings(secret, keys)),
  ];
}

function nowhere(row: ProvokeObjectRow, set: WorkingSet): string[] {
  const owner = set.get('members', row.owner_id);
  if (row.kind === 'manifest') return owner ? endsOf(JSON.parse(row.body) as Manifest, owner, set) : [];
  const { agent } = JSON.parse(row.body) as Trigger;
  const manifest = set.get('provoke_objects', 'manifest', agent);
  if (manifest?.removed_at !== null) return [`There is no manifest ${agent}.`];
  if (manifest.enabled === 0) return [`The manifest ${agent} is switched off.`];
  if (!owner || !isUsable(manifest, row, owner, set)) return [`The manifest ${agent} is not its owner’s to use.`];
  return endsOf(JSON.parse(manifest.body) as Manifest, owner, set);
}

/** As whom it acts and where its result goes, for a trigger of this owner. */
export function endsOf({ handle, deliver_to: to }: Manifest, owner: MemberRow, set: WorkingSet): string[] {
  const acts = handle === undefined || namedAgent(handle, owner, set) ? [] : [`There is no agent ${handle} that its owner may send.`];
  if (to === undefined || 'webhook' in to) return acts;
  if ('agent' in to) {
    const [target] = set.find('members', 'handle', foldHandle(to.agent));
    return target?.kind === 'agent' && target.status === 'active' ? acts : [...acts, `There is no agent ${to.agent}.`];
  }
  const found = conversationNamed(to.conversation, set);
  const why = found ? whyNotPost(placeFor(asActor(owner), found.id, set), owner) : 'nowhere';
  if (why === undefined) return acts;
  const words = `There is no conversation ${to.conversation}, or its owner may not post there.`;
  return [...acts, why === 'archived' ? `The conversation ${to.conversation} is archived.` : words];
}

function secretOf({ kind, body }: ProvokeObjectRow): string | undefined {
  const object = JSON.parse(body) as Source | Manifest;
  if (kind === 'source') return (object as Source).webhook?.secret;
  const to = kind === 'manifest' ? (object as Manifest).deliver_to : undefined;
  return to && 'webhook' in to ? to.webhook.secret : undefined;
}

/** Blank is as good as not set. */
export async function secretWarnings(name: string, keys: Pick<Keys, 'keyFor'>): Promise<string[]> {
  try {
    const value = (await keys.keyFor(name))?.trim() ?? '';
    return value === '' ? [`The secret ${name} is not set.`] : [];
  } catch (error) {
    if (error instanceof KeyRefused) return [error.message];
    throw error;
  }
}
