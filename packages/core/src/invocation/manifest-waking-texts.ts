// Sentences about the events that wake an agent of a manifest, the same wherever the agent is shown.

import type { ManifestWaking } from '@parley/protocol';
import type { BehaviourMode } from '../contact/contact-permission.ts';
import { escapeInvisible } from '../model/prompt-blocks.ts';
import { quotedError, invocationWords } from './invocation-texts.ts';

/** "Woken by …": ids and numbers, which hold nothing but letters and digits. */
export function wakingText({ manifestId, version, state, triggers }: ManifestWaking): string {
  const manifest = `the manifest ${manifestId}${version === null ? '' : ` (version ${version})`}`;
  switch (state) {
    case 'on':
      return `events, by ${manifest}${triggers === null ? '' : `; ${triggers.length === 1 ? 'trigger' : 'triggers'} ${triggers.join(', ')}`}`;
    case 'no_trigger':
      return `no event: no trigger wakes ${manifest} with it`;
    case 'off':
      return `no event any more: ${manifest} is switched off`;
    case 'gone':
      // A removal counts as a version, too, but nobody wrote that version.
      return `no event any more: the manifest ${manifestId} was removed`;
    case 'elsewhere':
      return `no event any more: ${manifest} acts as another agent`;
  }
}

/** Instead of "ready", of one that has nothing to do. Undefined: it is. */
export const unwokenText = (waking: ManifestWaking | null | undefined): string | undefined =>
  !waking || waking.state === 'on' ? undefined : waking.state === 'no_trigger' ? 'no trigger wakes it' : 'no event wakes it any more';

/**
 * The brain of an agent that an event has woken. The manifest chooses the model's name, so that name makes no line of its
 * own.
 */
export function wokenBrainText({ thinks, model }: ManifestWaking): string {
  if (thinks === 'plain') return 'plain words, no model';
  return model === null ? 'a language model, run by this hub' : escapeInvisible(model).replaceAll(/\s+/g, ' ');
}

export function wokenAsksText({ asks }: ManifestWaking, mode: BehaviourMode): string {
  if (asks === 'risk') return 'before each run: what it may do is of high risk';
  return asks === 'mode' ? `before each run: it is ${mode}` : 'never';
}

/** The newest run that an event started. `time` is formatted by the caller. */
export const lastRunText = ({ state, error }: NonNullable<ManifestWaking['lastRun']>, time: string): string =>
  `${invocationWords[state]}, ${time}${error === null ? '' : `: ${quotedError(error)}`}`;
