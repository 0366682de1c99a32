import type { Checkpoint } from '@parley/protocol';
import { withAccess } from '../access.ts';
import { CliError } from '../exit.ts';
import { me } from '../name.ts';
import { type Output, styled } from '../output.ts';
import type { Settings } from '../settings.ts';

export async function inbox(
  settings: Settings,
  typed: string | undefined,
  choice: string | undefined,
  options: { all?: true },
  output: Output,
): Promise<void> {
  if (typed === undefined) {
    const query = { state: options.all ? 'all' : 'open' } as const;
    const { checkpoints } = await withAccess(settings, (access) => access.call('listCheckpoints', { query }));
    output.result(
      { checkpoints },
      checkpoints.length === 0
        ? `Nothing waits for you. What you owe an answer is in \`${me} owed\`.`
        : checkpoints.map(shown).join('\n\n'),
    );
    return;
  }
  const checkpointId = /chk_[0-9A-Z]{26}/.exec(typed)?.[0];
  if (checkpointId === undefined)
    throw new CliError('usage', `${typed} is not the id of something that waits (chk_…).`, { hint: `\`${me} inbox\` lists them.` });
  const checkpoint = await withAccess(settings, (access) =>
    choice === undefined
      ? access.call('getCheckpoint', { params: { checkpointId } })
      : access.call('closeCheckpoint', { params: { checkpointId }, body: { choice } }),
  );
  output.result(checkpoint, shown(checkpoint));
}

function shown({ id, text, links, choices, open, choice }: Checkpoint): string {
  const chosen = choices.find((one) => one.choice === choice)?.label ?? choice ?? 'it was settled meanwhile';
  return [
    `${id}  ${text}`,
    ...links.map(({ messageId }) => `  about ${messageId}`),
    ...(open ? choices.map((one) => `  ${styled('bold', one.choice)}  ${one.label}`) : [`  Answered: ${chosen}.`]),
  ].join('\n');
}
