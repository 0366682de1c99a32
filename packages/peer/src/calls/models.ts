// The model that negotiates for a person: one of their hub, or one that they pay with their own key.

import { badInput, type HubModels, type OwnModels, type PeerModel, type NegotiationStep } from '@parley/protocol';
import { mustBeProvider, viewModel } from '../brains/model-settings.ts';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { type ProfileRecord, putMachine, type ModelRecord, modelAwayText, type NegotiationNote } from '../negotiate/negotiation-records.ts';
import { allRecords } from '../packets/peer-records.ts';
import { type CallAnswers, type CallContext, changeProfile, mustHave, type OpenPeer } from './context.ts';

export const modelAnswers: CallAnswers<'model' | 'setModel' | 'ownModel' | 'setOwnModel' | 'removeOwnModel'> = {
  model: async ({ models, find }) => modelOf(models, await find()),
  setModel: async ({ models, make }, { isOn }) => {
    const open = await make();
    if (isOn && !models) throw badInput('This hub offers no model. Its operator names one in PARLEY_PEER_MODEL.');
    await changeProfile(open, (profile) => ({ ...profile, usesHubModel: isOn }));
    await retryNow(open.negotiations);
    return modelOf(models, open);
  },
  ownModel: async (context) => viewModel((await (await mustHave(context)).negotiations.profile()).model),
  setOwnModel: async (context, { provider, isSecond = false }) => {
    const read = mustBeProvider(provider);
    return changeOwnModel(context, (profile) => {
      if (isSecond && !profile.model) throw badInput('There is no first model yet. Set it before the second one.');
      const { first, second } = profile.model ?? { first: read, second: null };
      return { ...profile, model: isSecond ? { first, second: read } : { first: read, second } };
    });
  },
  removeOwnModel: (context, { isSecond = false }) =>
    changeOwnModel(context, ({ model, ...profile }) => (isSecond && model ? { ...profile, model: { ...model, second: null } } : profile)),
};

async function modelOf(models: HubModels | null | undefined, open: OpenPeer | undefined): Promise<PeerModel> {
  const offered = models ? [models.first, ...(models.second ? [models.second] : [])] : [];
  const { usesHubModel = false } = (await open?.negotiations.profile()) ?? {};
  return {
    offered: offered.map(({ provider, models: names }) => ({ provider, models: [...new Set(Object.values(names))] })),
    isOn: usesHubModel,
  };
}

async function changeOwnModel(context: CallContext, change: (profile: ProfileRecord) => ProfileRecord): Promise<OwnModels> {
  const open = await mustHave(context);
  const { model } = await changeProfile(open, change);
  await retryNow(open.negotiations);
  return viewModel(model);
}

/** A new model is asked at once, so packets that waited for the old one to answer again wait no longer. */
async function retryNow(engine: Negotiations): Promise<void> {
  await engine.peer.inTurn(async () => {
    for await (const { key, value } of allRecords(engine.store, 'machine')) {
      const { model } = value;
      if (!model || model.retryAt === null) continue;
      await engine.store.commit([putMachine({ ...value, model: { ...model, retryAt: null } })]);
      engine.workSoon(key);
    }
  });
}

const taskTexts: Readonly<Record<string, string>> = {
  open: 'wrote the first packet',
  routine: 'went on as usual with them',
  gaps: 'looked for what is missing',
  propose: 'weighed what both want',
};

const counted = (count: number, one: string, many: string): string => (count === 1 ? one : `${count} ${many}`);

/** A step without shared, requested or withheld values. */
export const bareStep = { shared: {}, asked: [], withheld: [] };

/** Tells the person which model took a step, and how sure it was (A2C-37). Refused wishes of the model are only counted, not shown. */
export function modelStep(step: ModelRecord['steps'][number]): NegotiationStep {
  const { at, task, model, provider, confidence, isTainted, dropped, regenerations } = step;
  const tried = regenerations === 0 ? '' : `, after ${counted(regenerations, 'a step that was', 'steps that were')} refused`;
  const read = isTainted ? '. It had read words of their peer' : '';
  const wanted = dropped.length === 0 ? '' : `. It wanted ${counted(dropped.length, 'a thing', 'things')} that it may not do`;
  const text = `${model} (${provider}) ${taskTexts[task] ?? 'thought'}: ${Math.round(confidence * 100)} % sure${tried}${read}${wanted}`;
  return { at, by: 'me', kind: 'model', text, ...bareStep };
}

/** The text of a note that the model did not answer, with the reason. */
export function modelAwayNote({ notice, details: { problem } }: NegotiationNote): string | undefined {
  if (notice !== 'model_away') return undefined;
  return typeof problem === 'string' && problem !== '' ? `${modelAwayText} (${problem})` : modelAwayText;
}
