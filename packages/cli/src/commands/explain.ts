import type { Explanation, Notice } from '@parley/protocol';
import { withAccess } from '../access.ts';
import { CliError } from '../exit.ts';
import { count, type Output, styled } from '../output.ts';
import type { Settings } from '../settings.ts';
import { stateOf } from '../task-tree.ts';

export async function explain(settings: Settings, typed: string, output: Output): Promise<void> {
  // An id, or a link to the message as the page copies it.
  const messageId = /msg_[0-9A-Z]{26}/.exec(typed)?.[0];
  if (messageId === undefined)
    throw new CliError('usage', `${typed} is neither the id of a message (msg_…) nor a link to one.`, {
      hint: '“Copy link” on a message of the page gives one; `send` prints the id.',
    });
  const explanation = await withAccess(settings, (access) => access.call('explainMessage', { params: { messageId } }));
  output.result(explanation, words(explanation));
}

const verdicts: Record<Explanation['others']['policy'], string> = {
  must_respond: 'was woken',
  may_respond: 'may answer',
  must_not_respond: 'stayed quiet',
};

function words({ agents, quiet, others, notices, floor }: Explanation): string {
  const width = Math.max(0, ...agents.map(({ handle }) => handle.length + 1));
  const lines = agents.map(({ handle, policy, text, task }) => {
    const name = styled(policy === 'must_respond' ? ['bold'] : [], `^${handle}`.padEnd(width));
    return `${name}  ${verdicts[policy].padEnd(12)}  ${text}${task === null ? '' : ` ${task.id} (${stateOf(task)})`}`;
  });
  if (quiet > 0) lines.push(`and ${count(quiet, 'more agent')}: ${others.text}`);
  if (lines.length === 0) lines.push('No agent is here.');
  return [`The floor is ${floor}.`, ...lines, ...notices.map(told)].join('\n');
}

const told = ({ kind, nearest, reason }: Notice): string =>
  `You were told: ${kind.replaceAll('_', ' ')}${nearest === null ? '' : ` (did you mean ^${nearest}?)`}${reason === null ? '' : ` (${reason.replaceAll('_', ' ')})`}.`;
