// Agents that a manifest brings: whether events can still wake them, and which runs need a person's approval (PRV-11).

import type { Agent, Invocation, Manifest, ManifestWaking, WakingState } from '@parley/protocol';
import type { BehaviourMode } from '../contact/contact-permission.ts';
import { effectiveRisk } from './transitions.ts';
import { escapeInvisible } from '../model/prompt-blocks.ts';
import { quotedError, invocationWords } from './invocation-texts.ts';

/** An agent's mode can ask for more approvals than its manifest does, never for fewer. A tool reads when the manifest says so. */
export function needsApprovalByMode(mode: BehaviourMode, tools: Manifest['tools']): boolean {
  if (mode === 'strict') return tools.length > 0;
  return mode === 'supervised' && tools.some(({ risk_override }) => risk_override !== 'read_only');
}

/** Why each run needs a person's approval; null: no run does. */
export function whyApproval(manifest: Pick<Manifest, 'risk_level' | 'tools'>, mode: BehaviourMode): ManifestWaking['asks'] {
  if (effectiveRisk(manifest).approval) return 'risk';
  return needsApprovalByMode(mode, manifest.tools) ? 'mode' : null;
}

export interface ManifestUse {
  removed: boolean;
  enabled: boolean;
  /** The manifest's runs act as another agent: one that it names, or one that its owner has of the same manifest. */
  elsewhere: boolean;
}

/** `triggers`: how many enabled triggers start runs of this agent. Undefined manifest: it was erased. */
export function wakingState(manifest: ManifestUse | undefined, triggers: number): WakingState {
  if (!manifest || manifest.removed) return 'gone';
  if (!manifest.enabled) return 'off';
  if (manifest.elsewhere) return 'elsewhere';
  return triggers > 0 ? 'on' : 'no_trigger';
}

/** The status that an agent has by its invocations. A queued one, or one that is retried later, keeps the agent from nothing. */
export function wokenStatus(invocations: readonly Invocation['state'][]): Agent['woken'] {
  if (invocations.includes('running')) return 'working';
  return invocations.includes('awaiting_approval') ? 'awaiting_approval' : null;
}

// Sentences about the events that wake an agent of a manifest, the same wherever the agent is shown.

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

// A trigger that events reach and that can wake nobody: the reason, and the notice to its owner. The hub only logs such an
// event (PRV-7), so that a member who waits for it would never know (PAP-14).

/** `not_theirs`: in older checkpoints, for another's manifest. */
export type IdleWhy = 'no_manifest' | 'manifest_off' | 'not_theirs' | 'no_agent' | 'no_approver';

/** Why the manifest that a trigger names cannot be woken. A manifest of another owner counts as one that does not exist. */
export function idleBy(manifest: { removed: boolean; enabled: boolean; theirs: boolean } | undefined): IdleWhy | undefined {
  if (!manifest || manifest.removed || !manifest.theirs) return 'no_manifest';
  return manifest.enabled ? undefined : 'manifest_off';
}

const noManifest = (manifestId: string): string => `There is no manifest ${manifestId} that its owner may use.`;

export const idleWords = (why: IdleWhy, manifestId: string): string =>
  ({
    no_manifest: noManifest(manifestId),
    manifest_off: `The manifest ${manifestId} is switched off.`,
    not_theirs: noManifest(manifestId),
    no_agent: 'The agent that would act was deactivated, is not its owner’s to send, or would be one more than its owner may have.',
    no_approver: 'It needs a person’s approval, and nobody can give it.',
  })[why];

export interface IdleTriggerText {
  why: IdleWhy;
  /** The manifest's version. */
  version: number;
  /** The member who got the notice. */
  owner: string;
}

/** Thousands of events may come: the owner is notified the first time, for another reason, or when the reason comes back. */
export const isNotified = (last: (IdleTriggerText & { ended: boolean }) | undefined, now: IdleTriggerText): boolean =>
  last !== undefined && !last.ended && last.why === now.why && last.version === now.version && last.owner === now.owner;
