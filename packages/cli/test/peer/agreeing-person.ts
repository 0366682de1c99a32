// A person who shares what is asked for, goes on with a wider scope and confirms what is proposed.

import type { PeerCommands } from '@parley/peer';

export async function agree(commands: PeerCommands): Promise<void> {
  for (const { id, open_prompts: prompts } of await commands.negotiations())
    for (const { kind, fields } of prompts) {
      if (kind === 'consent') await commands.consent({ id, answers: fields.map(({ field }) => ({ field, answer: 'share' })) });
      else if (kind === 'expansion') await commands.answerExpansion({ id, answer: 'go_on' });
      else await commands.confirm({ id, answer: { kind: 'confirm' } });
    }
  await commands.negotiations();
}
