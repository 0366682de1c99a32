// Events come in, in each of their forms. Here they are only read and told who brings them; what becomes of them the
// engine decides.

import {
  type AcceptedEvent,
  type AcceptedEvents,
  cloudEventForm,
  fromBatch,
  fromBinary,
  fromCloudEvent,
  invalidRequest,
  type MappedEvent,
  ParleyError,
  type Problem,
  problemText,
  roundedIn,
  Source,
} from '@parley/protocol';
import type { AlertSender } from '@parley/core/provoke';
import type { FastifyRequest } from 'fastify';
import { type CommandOf, invalidField, type Results } from '../../../engine/command.ts';
import { secretWarnings } from '../../../provoke/missing-references.ts';
import { parseJson } from '../request-bodies.ts';
import type { RouteContext, RouteHandlers, Services } from '../route-context.ts';
import { signedBy } from '../webhook-signature.ts';

const mostTogether = 1000;

export const eventRoutes = {
  emitEvent: async ({ caller, request, hub }) => {
    const form = cloudEventForm(request.headers);
    const body = jsonOf(request, form === 'binary');
    const rounded = roundedIn(bytesOf(request).toString('utf8'), body);
    const now = hub.clock.now();
    if (!hub.provoke.loaded) await hub.provoke.load();
    if (form === 'batched') {
      const batch = fromBatch(body, now);
      if (!batch) throw invalidField('(body)', 'must be a list of events');
      const each = batch.map((one, i) => ({ ...one, problems: [...one.problems, ...problemsAt(String(i), rounded)] }));
      return acceptAll(hub, caller.by, each, { cloud: true });
    }
    const { event, problems } =
      form === 'structured'
        ? fromCloudEvent(body, now)
        : form === 'binary'
          ? fromBinary({ ...request.headers, ...repeatedHeaders(request) }, body, now)
          : { event: body, problems: [] };
    return view(
      await hub.engine.submit({
        type: 'event.accept',
        by: caller.by,
        event,
        cloud: form !== null,
        already: [...problems, ...(form === 'binary' ? problemsUnder('data', rounded) : rounded)],
      }),
    );
  },
  alertmanagerWebhook: (context) => fromWebhook(context, 'alertmanager'),
  grafanaWebhook: (context) => fromWebhook(context, 'grafana'),
} satisfies Partial<RouteHandlers>;

/** Prefixes the problems of one event with its place in the batch. */
const problemsAt = (place: string, problems: readonly Problem[]): Problem[] =>
  problems.flatMap(({ field, message }) => (field.startsWith(`${place}.`) ? [{ field: field.slice(place.length + 1), message }] : []));

const problemsUnder = (name: string, problems: readonly Problem[]): Problem[] =>
  problems.map(({ field, message }) => ({ field: `${name}.${field}`, message }));

/** Attributes that came more than once: elsewhere they stand as one text, with a comma between. */
const repeatedHeaders = ({ raw }: FastifyRequest): NodeJS.Dict<string[]> =>
  Object.fromEntries(Object.entries(raw.headersDistinct).filter(([name, values]) => name.startsWith('ce-') && values!.length > 1));

const bytesOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

/** Binary CloudEvents may come without any data; everything else is JSON and says so. */
function jsonOf(request: FastifyRequest, mayBeEmpty = false): unknown {
  const bytes = bytesOf(request);
  if (mayBeEmpty && bytes.length === 0) return undefined;
  const type = request.headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase() ?? '';
  if (!/[/+]json$/.test(type)) throw new ParleyError('unsupported_media', 'The body must be JSON: an event, or CloudEvents 1.0.');
  return parseJson(bytes);
}

type Webhook = RouteContext<'alertmanagerWebhook' | 'grafanaWebhook'>;

async function fromWebhook({ input, request, hub, stranger }: Webhook, sender: AlertSender): Promise<AcceptedEvents> {
  const { source: sourceId } = input.params;
  const [row] = await hub.store.rows('provoke_objects', { kind: 'source', id: sourceId, removed_at: null, enabled: 1 });
  const webhook = row && Source.parse(JSON.parse(row.body)).webhook;
  const bytes = bytesOf(request);
  // Only the holder of its secret may learn that a source exists.
  const isSigned = webhook && (await signedBy(webhook, hub.keys, request.headers, bytes, hub.clock.now()));
  if (!isSigned) await stranger();
  // Only the log gets the reason: for the sender, a missing secret and a wrong one must look the same.
  for (const why of !isSigned && webhook ? await secretWarnings(webhook.secret, hub.keys) : [])
    request.log.warn({ source: sourceId }, `A webhook was refused. ${why}`);
  if (!isSigned) throw new ParleyError('unauthenticated', 'The secret or the signature is not the one of this source.');
  const body = jsonOf(request);
  const { core } = await hub.provoke.load();
  const alerts = core.alertEvents(body, sender);
  if (!alerts.ok) throw invalidRequest(alerts.problems);
  const events = alerts.events.map((event) => ({ event, problems: [] }));
  return { ...(await acceptAll(hub, { webhook: sourceId }, events)), warnings: alerts.warnings };
}

/** Accepts each event by itself, several at once, so that a bad event stops none of the others. */
async function acceptAll(
  hub: Services,
  by: CommandOf<'event.accept'>['by'],
  events: readonly MappedEvent[],
  form: { cloud?: true } = {},
): Promise<AcceptedEvents> {
  if (events.length > mostTogether) throw invalidField('(body)', `must be at most ${mostTogether} events`);
  await hub.provoke.load();
  const outcomes = await inSlices(events, (slice) =>
    Promise.allSettled(
      slice.map(({ event, problems }) => hub.engine.submit({ type: 'event.accept', by, event, already: problems, ...form })),
    ),
  );
  const failed = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  // Sent again, the accepted ones are duplicates; so the sender should send all of it again.
  const later = failed.find(isLater);
  if (later !== undefined) throw later as Error;
  if (failed.length > 0 && failed.length === outcomes.length) throw together(failed as ParleyError[]);
  return {
    events: outcomes.map((one) => (one.status === 'fulfilled' ? view(one.value) : (one.reason as ParleyError).toWire())),
    warnings: [],
  };
}

const isLater = (error: unknown): boolean => !(error instanceof ParleyError) || error.status >= 500;

/** Commands that enter the engine together are one commit, and everybody else waits for it: so many may start in one. */
const mostStarts = 200;
const [firstSlice, largestSlice] = [8, 32];

type Outcome = PromiseSettledResult<Results['event.accept']>;

/** As many at a time as go by what those before them have started or have to tell; none after one that has to be sent again. */
async function inSlices(events: readonly MappedEvent[], accept: (slice: readonly MappedEvent[]) => Promise<Outcome[]>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let size = firstSlice; outcomes.length < events.length;) {
    const came = await accept(events.slice(outcomes.length, outcomes.length + size));
    outcomes.push(...came);
    if (came.some((one) => one.status === 'rejected' && isLater(one.reason))) break;
    const most = came
      .map((one) => (one.status === 'rejected' ? 0 : Math.max(one.value.begun, one.value.triggers.length)))
      .reduce((a, b) => Math.max(a, b), 1);
    size = Math.min(largestSlice, Math.max(1, Math.floor(mostStarts / most)));
  }
  return outcomes;
}

/** None was taken: said as one refusal, with each problem where it stands. */
function together(errors: readonly ParleyError[]): ParleyError {
  const [first] = errors;
  if (errors.length === 1 || first!.problems.length === 0) return first!;
  const problems = errors.flatMap((error, i) => error.problems.map(({ field, message }) => ({ field: `${i}.${field}`, message })));
  return new ParleyError(first!.code, problemText(problems), { problems });
}

const view = ({ event, triggers, awaited, absences, heard, warnings }: Results['event.accept']): AcceptedEvent => ({
  id: event.id,
  eventId: event.event_id,
  type: event.type,
  chainId: event.chain_id,
  warnings,
  triggers,
  awaited,
  absences,
  heard,
});
