// The commands around the model that a person's peer thinks with.

import { type ModelProvider, type ModelView, mustBeProvider, viewModel } from '../brains/model-settings.ts';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { type ProfileRecord, putMachine } from '../negotiate/records.ts';
import { PeerError } from '../packets/errors.ts';
import { allRecords } from '../packets/records.ts';

export interface ModelCommands {
  /** `isSecond`: asked when the first provider fails. */
  setModel(request: { provider: ModelProvider; isSecond?: boolean }): Promise<ModelView>;
  model(): Promise<ModelView>;
  /** Forgets the keys too. `isSecond`: only the second provider. */
  removeModel(request: { isSecond?: boolean }): Promise<ModelView>;
}

type ChangeProfile = (change: (profile: ProfileRecord) => ProfileRecord) => Promise<ProfileRecord>;

export function modelCommands(engine: Negotiations, changeProfile: ChangeProfile): ModelCommands {
  const changed = async (change: (profile: ProfileRecord) => ProfileRecord): Promise<ModelView> => {
    const { model } = await changeProfile(change);
    await retryNow(engine);
    return viewModel(model);
  };
  return {
    setModel: async ({ provider, isSecond = false }) => {
      const read = mustBeProvider(provider);
      return changed((profile) => {
        if (isSecond && !profile.model) throw new PeerError('bad_input', 'There is no first model yet. Set it before the second one.');
        const { first, second } = profile.model ?? { first: read, second: null };
        return { ...profile, model: isSecond ? { first, second: read } : { first: read, second } };
      });
    },
    model: async () => viewModel((await engine.profile()).model),
    removeModel: ({ isSecond = false }) =>
      changed(({ model, ...profile }) => (isSecond && model ? { ...profile, model: { ...model, second: null } } : profile)),
  };
}

/** Packets that wait for a model that did not answer do not wait for another one. */
export async function retryNow(engine: Negotiations): Promise<void> {
  await engine.peer.inTurn(async () => {
    for await (const { key, value } of allRecords(engine.peer.parts.store, 'machine')) {
      const { model } = value;
      if (!model || model.retryAt === null) continue;
      await engine.peer.parts.store.commit([putMachine({ ...value, model: { ...model, retryAt: null } })]);
      engine.workSoon(key);
    }
  });
}
