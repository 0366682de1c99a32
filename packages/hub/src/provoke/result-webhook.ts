// Sends the result of an invocation to the address that its manifest names. The hub repeats it under the same delivery ID
// until it is taken, and gives up after a day. The connection checks where the hub may be sent to, and a redirect is no
// answer.

import type { Manifest } from '@parley/protocol';
import { type SecretStore, SecretBinding } from '../agents/secrets.ts';
import type { Clock } from '../clock.ts';
import { PrivateTarget } from '../outbound/guarded-fetch.ts';
import { postSigned } from '../outbound/signed-post.ts';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Performer } from '../engine/outbox.ts';
import type { Store } from '../store/port.ts';

export interface SendingParts {
  store: Store;
  engine: Engine;
  keys: Pick<SecretStore, 'keyFor'>;
  clock: Clock;
  /** Into the hub's own network as well. */
  allowPrivate: boolean;
}

const patienceMs = 30_000;

type Webhook = Extract<NonNullable<Manifest['deliver_to']>, { webhook: object }>['webhook'];

export function webhookPerformer({ store, engine, keys, clock, allowPrivate }: SendingParts): Performer {
  return async (payload) => {
    const invocationId = payload['invocationId']!;
    const result = await outgoing(store, invocationId);
    if (result === undefined) return;
    // A payload of an earlier version does not say where it goes: its manifest does.
    const { url, secret: name } = payload['url'] === undefined ? (result?.to ?? {}) : payload;
    const end = (refused: string | null) => engine.submit({ type: 'invocation.sent', by: platform, invocationId, refused });
    if (result === null || url === undefined) return void (await end('Its manifest is not kept any more.'));
    try {
      const secret = name === undefined ? undefined : await keys.keyFor(name, new URL(url).host);
      // Unsigned, its receiver could not tell it from anybody else's.
      if (name !== undefined && !secret) throw new Error(`There is no secret ${name}`);
      await postSigned({
        url,
        secret,
        deliveryId: invocationId,
        body: result.body,
        now: clock.now(),
        signal: AbortSignal.timeout(patienceMs),
        allowPrivate,
      });
    } catch (error) {
      if (error instanceof PrivateTarget || error instanceof SecretBinding) return void (await end(error.message));
      if (clock.now() < Number(payload['until'])) throw error;
      return void (await end('The receiver did not accept it within a day.'));
    }
    await end(null);
  };
}

/** Null: who wrote down where it goes was erased since, and that with them. Undefined: it is itself not kept any more. */
async function outgoing(store: Store, invocationId: string): Promise<{ body: string; to: Webhook | undefined } | null | undefined> {
  const [row] = await store.rows('invocations', { id: invocationId });
  if (!row) return undefined;
  const [version] = await store.rows('provoke_versions', { kind: 'manifest', id: row.manifest_id, version: row.manifest_version });
  const deliverTo = version && (JSON.parse(version.body) as Partial<Manifest>).deliver_to;
  if (version && deliverTo === undefined) return null;
  const { id, trigger_id: trigger, manifest_id: agent, event_id: event, attempt: attempts, ended_at: endedAt } = row;
  const output = JSON.parse(row.output ?? 'null') as unknown;
  const body = JSON.stringify({ invocation: id, trigger, agent, event, attempts, endedAt, output });
  return { body, to: deliverTo && 'webhook' in deliverTo ? deliverTo.webhook : undefined };
}
