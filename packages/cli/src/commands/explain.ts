import { keptIn, outcomeTexts, policyTexts, provokedText, taskText } from '@parley/core';
import { type Explanation, ParleyError, type WouldNow } from '@parley/protocol';
import { CliError } from '../exit.ts';
import { withAccess } from '../hub-access.ts';
import { messageIdOf } from '../message-id.ts';
import { noticeLines } from '../notice-lines.ts';
import { count, type Output, applyStyle, printable } from '../output.ts';
import type { Settings } from '../settings.ts';

/** The operator reads no messages. */
const noBody = { body: null };

export async function explain(settings: Settings, typed: string, { wouldNow }: { wouldNow?: true }, output: Output): Promise<void> {
  const messageId = messageIdOf(typed);
  const query = { wouldNow: wouldNow ? ('true' as const) : ('false' as const) };
  const { explanation, notices } = await withAccess(settings, async (access) => {
    const found = await access.call('explainMessage', { params: { messageId }, query }).catch((error: unknown) => {
      if (!(error instanceof ParleyError) || error.code !== 'not_found') throw error;
      throw new CliError('not_found', `There is no message ${messageId}, or you may not see it.`);
    });
    const { body } = found.notices.length === 0 ? noBody : await access.call('getMessage', { params: { messageId } }).catch(() => noBody);
    return { explanation: found, notices: await noticeLines(access, found.notices, body) };
  });
  output.result(explanation, words(explanation, notices));
}

type Spoken = Pick<Explanation['agents'][number], 'handle' | 'policy' | 'mode' | 'reason' | 'text'>;
const sentenceOf = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
const because = ({ policy, mode, reason, text }: Omit<Spoken, 'handle'>): string => `${policy} ${mode} ${reason}: ${text}`;

function words({ provoked, recorded, agents, quiet, others, floor, wouldNow }: Explanation, notices: readonly string[]): string {
  const width = Math.max(0, ...agents.map(({ handle }) => handle.length + 1));
  const lines = agents.map((agent) => {
    const { handle, policy, mode, outcome, task, problems } = agent;
    const name = applyStyle(policy === 'must_respond' ? ['bold'] : [], `^${handle}`.padEnd(width));
    const became = task === null ? '' : ` ${task.id} (${printable(taskText(task))})`;
    const verdict = `${name}  ${policyTexts[policy].padEnd(10)}  ${because(agent)} ${sentenceOf(outcomeTexts[outcome])}${task === null ? keptIn(mode) : ''}${became}`;
    return [verdict, ...problems.map((problem) => `  ${printable(problem)}`)].join('\n');
  });
  if (quiet > 0 && others) lines.push(`and ${count(quiet, 'more agent')}: ${because(others)}`);
  if (lines.length === 0) lines.push(recorded ? 'No agent was here.' : 'No agent had a task for it.');
  const head = recorded
    ? `The floor was ${floor}; version ${recorded.rules} of the rules decided.${recorded.urgent ? ' It was marked as urgent.' : ''}`
    : 'The decision was not kept; only the tasks for it are known.';
  return [...(provoked ? [provokedText(provoked)] : []), head, ...lines, ...notices, ...(wouldNow ? now(wouldNow) : [])].join('\n');
}

function now({ rules, floor, agents, others }: WouldNow): string[] {
  return [
    `Would now (the floor is ${floor}, version ${rules} of the rules):`,
    ...agents.map((agent) => `  ^${agent.handle}  ${because(agent)}`),
    `  any other agent  ${because(others)}`,
  ];
}
