// A manifest made ready to be run (PRV-4, PRV-11, PRV-13): what no schema can say about it is checked, its output compiled.

import { isReserved, type Manifest, type Problem, systemTypes } from '@parley/protocol';
import { compileOutput, type OutputCheck } from '../output/output.ts';
import type { PatternCheck } from '../triggers/regex.ts';
import { effectiveRisk, type Risk } from '../../invocation/transitions.ts';
import type { Compilation } from '../triggers/trigger.ts';

export interface CompiledManifest {
  manifest: Manifest;
  risk: Risk;
  judge: OutputCheck;
}

export function compileManifest(manifest: Manifest, patterns: PatternCheck, at = 'agent'): Compilation<CompiledManifest> {
  const problems: Problem[] = [];
  // Two tools of one name, and nobody could tell which one the model meant.
  const seen = new Set<string>();
  manifest.tools.forEach(({ name }, i) => {
    if (seen.has(name)) problems.push({ field: `${at}.tools.${i}.name`, message: 'stands here twice' });
    seen.add(name);
  });
  for (const end of ['on_complete', 'on_failure'] as const) {
    const type = manifest[end].emit_event;
    if (type !== undefined && isReserved(type) && !systemTypes.some((known) => known === type))
      problems.push({ field: `${at}.${end}.emit_event`, message: `of those that begin with pap. only ${systemTypes.join(' and ')}` });
  }
  const output = compileOutput(manifest.output, patterns, `${at}.output`);
  if (!output.ok) problems.push(...output.problems);
  if (!output.ok || problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { manifest, risk: effectiveRisk(manifest), judge: output.value } };
}
