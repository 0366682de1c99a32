// A person said yes, perhaps a day later (PRV-11). The yes was given to one event, one version of the manifest and the
// arguments that were shown; to anything else it was not given. The window is not asked again: the place was taken when
// the event came, and whoever approves has decided that it is still worth it.

export interface ApprovalScope {
  /** Of the event as it was shown. */
  eventDigest: string;
  manifestVersion: number;
  argumentsDigest: string;
}

export type AfterApproval =
  | { run: true }
  /** `expired`, `manifest_changed` and `arguments_changed` can be asked for again; the others have ended. */
  | { run: false; reason: 'expired' | 'disabled' | 'gone' | 'event_changed' | 'manifest_changed' | 'arguments_changed'; again: boolean };

/** What is in force when the yes comes. Null: the trigger or its manifest is not there any more. */
export interface CurrentDefinitions {
  enabled: boolean;
  eventDigest: string;
  manifestVersion: number;
  argumentsDigest: string;
}

export function afterApproval(bound: ApprovalScope, until: number, current: CurrentDefinitions | null, now: number): AfterApproval {
  const no = (reason: Extract<AfterApproval, { run: false }>['reason'], again: boolean): AfterApproval => ({ run: false, reason, again });
  if (current === null) return no('gone', false);
  // Switching a trigger off is the quickest way to stop what it does; a yes that still lies about does not undo it.
  if (!current.enabled) return no('disabled', false);
  if (current.eventDigest !== bound.eventDigest) return no('event_changed', false);
  if (now >= until) return no('expired', true);
  if (current.manifestVersion !== bound.manifestVersion) return no('manifest_changed', true);
  if (current.argumentsDigest !== bound.argumentsDigest) return no('arguments_changed', true);
  return { run: true };
}
