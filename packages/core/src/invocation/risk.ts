// How dangerous an invocation is (PRV-11): as dangerous as the most dangerous thing it may do.

import { type Manifest, type RiskLevel, riskLevels } from '@parley/protocol';

export interface Risk {
  level: RiskLevel;
  audit: boolean;
  approval: boolean;
}

const rank = (level: RiskLevel): number => riskLevels.indexOf(level);

/** Whether each step is recorded for the audit log. */
export const audits = (level: RiskLevel): boolean => rank(level) >= rank('medium');

/** A tool's override raises the whole and never lowers it. */
export function effectiveRisk({ risk_level, tools }: Pick<Manifest, 'risk_level' | 'tools'>): Risk {
  const level = tools.reduce<RiskLevel>(
    (highest, { risk_override: tool = 'read_only' }) => (rank(tool) > rank(highest) ? tool : highest),
    risk_level,
  );
  return { level, audit: audits(level), approval: level === 'high' };
}
