// An approval, perhaps a day later (PRV-11). An approval covers one event, one version of the manifest and the arguments
// that were shown, and nothing else. The throttle window is not asked again: the event took its place when it came, and the
// approver has decided that the run is still worth it.

export interface ApprovalScope {
  /** The digest of the event as it was shown. */
  eventDigest: string;
  manifestVersion: number;
  argumentsDigest: string;
}

export type AfterApproval =
  | { run: true }
  /** `expired`, `manifest_changed` and `arguments_changed` can be asked for again; the others have ended. */
  | { run: false; reason: 'expired' | 'disabled' | 'gone' | 'event_changed' | 'manifest_changed' | 'arguments_changed'; again: boolean };

/** The definitions in force when the approval comes. Null: the trigger or its manifest is gone. */
export interface CurrentDefinitions {
  enabled: boolean;
  eventDigest: string;
  manifestVersion: number;
  argumentsDigest: string;
}

export function afterApproval(bound: ApprovalScope, until: number, current: CurrentDefinitions | null, now: number): AfterApproval {
  const no = (reason: Extract<AfterApproval, { run: false }>['reason'], again: boolean): AfterApproval => ({ run: false, reason, again });
  if (current === null) return no('gone', false);
  // Switching a trigger off is the quickest way to stop it; an approval that is still pending does not undo that.
  if (!current.enabled) return no('disabled', false);
  if (current.eventDigest !== bound.eventDigest) return no('event_changed', false);
  if (now >= until) return no('expired', true);
  if (current.manifestVersion !== bound.manifestVersion) return no('manifest_changed', true);
  if (current.argumentsDigest !== bound.argumentsDigest) return no('arguments_changed', true);
  return { run: true };
}
