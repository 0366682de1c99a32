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
