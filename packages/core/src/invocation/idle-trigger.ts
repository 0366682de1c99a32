// A trigger that events reach and that can wake nobody: why, and the notice to its owner. The hub only logs such an event
// (PRV-7), so that somebody who waits for it would never know (PAP-14).

/** `not_theirs`: in older checkpoints, for another's manifest. */
export type IdleWhy = 'no_manifest' | 'manifest_off' | 'not_theirs' | 'no_agent' | 'no_approver';

/** Of the manifest that a trigger names. Undefined: it is there to be woken. Another's is answered for like one that does not exist. */
export function idleBy(manifest: { removed: boolean; enabled: boolean; theirs: boolean } | undefined): IdleWhy | undefined {
  if (!manifest || manifest.removed || !manifest.theirs) return 'no_manifest';
  return manifest.enabled ? undefined : 'manifest_off';
}

const noManifest = (manifestId: string): string => `There is no manifest ${manifestId} that its owner may use.`;

/** As a sentence. Ids hold nothing but letters and digits. */
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
  /** Of the manifest. */
  version: number;
  /** The member who got the notice. */
  owner: string;
}

/** Thousands of events may come: the owner gets a notice the first time, for another reason, or when it happens again. */
export const isTold = (told: (IdleTriggerText & { over: boolean }) | undefined, now: IdleTriggerText): boolean =>
  told !== undefined && !told.over && told.why === now.why && told.version === now.version && told.owner === now.owner;
