// What wakes an agent that a manifest has brought, and when a person is asked first (PRV-11).

import type { Agent, Invocation, Manifest, ManifestWaking, WakingState } from '@parley/protocol';
import type { BehaviourMode } from '../contact/contact-permission.ts';
import { effectiveRisk } from './risk.ts';

/** Its agent does less unasked than the manifest would let it: the strictest wins. What reads by the manifest's word reads. */
export function asksByMode(mode: BehaviourMode, tools: Manifest['tools']): boolean {
  if (mode === 'strict') return tools.length > 0;
  return mode === 'supervised' && tools.some(({ risk_override }) => risk_override !== 'read_only');
}

/** Why a person is asked before each run; null: nobody is. */
export function asksFirst(manifest: Pick<Manifest, 'risk_level' | 'tools'>, mode: BehaviourMode): ManifestWaking['asks'] {
  if (effectiveRisk(manifest).approval) return 'risk';
  return asksByMode(mode, manifest.tools) ? 'mode' : null;
}

export interface ManifestUse {
  removed: boolean;
  enabled: boolean;
  /** It acts as another one: one that it names, or that its owner has of it as well. */
  elsewhere: boolean;
}

/** `triggers`: how many there are that are on, and whose invocations this agent runs. Undefined: nothing is kept of the manifest. */
export function wakingState(manifest: ManifestUse | undefined, triggers: number): WakingState {
  if (!manifest || manifest.removed) return 'gone';
  if (!manifest.enabled) return 'off';
  if (manifest.elsewhere) return 'elsewhere';
  return triggers > 0 ? 'on' : 'no_trigger';
}

/** What its invocations make of an agent. One that is queued, or tries again later, keeps it from nothing, as a queued task does. */
export function wokenBy(invocations: readonly Invocation['state'][]): Agent['woken'] {
  if (invocations.includes('running')) return 'working';
  return invocations.includes('awaiting_approval') ? 'awaiting_approval' : null;
}
