// Agents that a manifest brings: whether events can still wake them, and which runs need a person's approval (PRV-11).

import type { Agent, Invocation, Manifest, ManifestWaking, WakingState } from '@parley/protocol';
import type { BehaviourMode } from '../contact/contact-permission.ts';
import { effectiveRisk } from './risk.ts';

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
