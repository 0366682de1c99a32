// All calls of a person's peer: which hosts refuse which, and the one implementation of each.

import { type PeerCall, PeerCallError, type PeerCalls, toPlainTexts } from '@parley/protocol';
import { actionAnswers } from './actions.ts';
import type { CallAnswers, CallContext } from './context.ts';
import { modelAnswers } from './models.ts';
import { negotiationAnswers } from './negotiations.ts';
import { peopleAnswers } from './people.ts';
import { sharingAnswers } from './sharing.ts';
import { spaceAnswers } from './spaces.ts';

/** Only a hub's thread answers them. */
export type HubCall = 'calendar' | 'noticeZone' | 'sample' | 'removeSample' | 'export';

const ownAnswers: CallAnswers<Exclude<PeerCall, HubCall>> = {
  ...actionAnswers,
  ...modelAnswers,
  ...negotiationAnswers,
  ...peopleAnswers,
  ...sharingAnswers,
  ...spaceAnswers,
};

type Refusals = Readonly<Partial<Record<PeerCall, string | ((argument: never) => string | undefined)>>>;

const hubOnly = 'It needs a hub';
/** The calls that each host refuses, with the reason and what to do instead. `own`: a peer that a person runs themselves. */
export const refusals: Readonly<Record<'own' | 'hub', Refusals>> = {
  own: {
    calendar: 'Your calendar is the file `calendar.ics` in the folder of your peer.',
    noticeZone: `${hubOnly}: here the peer takes the zone of this machine. Set the field \`timezone\` for another one.`,
    sample: `${hubOnly} to make up a sample friend. Add somebody by their contact card.`,
    removeSample: `${hubOnly} to make up a sample friend, so there is none.`,
    export: `${hubOnly} to write one export of everything. Make a backup.`,
    model: `${hubOnly} that offers a model. \`ownModel\` shows yours.`,
    setModel: `${hubOnly} that offers a model. Set your own with its key.`,
    requestLink: `${hubOnly} to serve a link. Send the text instead.`,
    takeLinkAnswer: `${hubOnly} to serve a link. Pass the answer on in their words.`,
    linkSpace: `${hubOnly} with channels.`,
    addCalendar: ({ kind }: PeerCalls['addCalendar']['in']) =>
      kind === 'file' ? 'Save the calendar in a file and link its path.' : undefined,
  },
  hub: {
    linkCalendar: 'A hub reads no files of its machine for you. Give the text of the calendar, or its address.',
    ownModel: 'In a hub the model is the hub’s. Run your own peer with `npx parley peer run` for a model with your key.',
    setOwnModel: 'A hub keeps no key of a model for you. Run your own peer with `npx parley peer run` for a model with your key.',
    removeOwnModel: 'A hub keeps no key of a model for you, so there is none to remove.',
  },
};

/** Words of others lose what moves a cursor. Files of the person stay as they are. */
const verbatim: readonly PeerCall[] = ['calendar', 'export', 'backup', 'inbox'];

export async function answerCall<Context extends CallContext, C extends PeerCall>(
  host: 'own' | 'hub',
  context: Context,
  call: C,
  argument: PeerCalls[C]['in'],
  hostAnswers: Partial<CallAnswers<PeerCall, Context>> = {},
): Promise<PeerCalls[C]['out']> {
  const rules: Refusals = refusals[host];
  const rule = Object.hasOwn(rules, call) ? rules[call] : undefined;
  const refusal = typeof rule === 'string' ? rule : rule?.(argument as never);
  if (refusal !== undefined) throw new PeerCallError('refused', refusal);
  const answers: Partial<CallAnswers<PeerCall, Context>> = { ...ownAnswers, ...hostAnswers };
  const act = Object.hasOwn(answers, call) ? answers[call] : undefined;
  if (!act) throw new PeerCallError('not_found', `A peer has no call ${call.slice(0, 100)}.`);
  const answer = await act(context, argument);
  return verbatim.includes(call) ? answer : toPlainTexts(answer);
}
