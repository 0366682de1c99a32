// "arrange dinner with @bob on Friday": says what was understood, and lets the requester's peer ask the other one.

import { dayProblem, nameList, readArrangement, readingIn } from '@parley/core';
import type { BrainTurn, TurnOutcome, ToolsFor } from '../brain.ts';

const form =
  'I could not read that. Write `arrange dinner with @name on Friday`, with one name or several in a row, or [fill in the form](/peer/negotiations/new).';

export async function arrange(turn: BrainTurn, match: RegExpExecArray, toolsFor: ToolsFor): Promise<TurnOutcome> {
  const arrangement = readArrangement(match[1]!);
  if (!arrangement) return { kind: 'answer', text: form };
  const problem = dayProblem(arrangement.intent, Math.floor(turn.task.created_at / 86_400_000));
  if (problem !== undefined) return { kind: 'answer', text: problem };
  const tool = (await toolsFor(turn)).find(({ name }) => name === 'negotiate');
  if (!tool) return { kind: 'decline', outcome: 'blocked', reason: 'This hub runs no peers, so there is nobody who could arrange it.' };
  const { with: others, intent, quorum } = arrangement;
  const input = { with: others.length === 1 ? others[0]! : others, intent, ...(quorum === null ? {} : { quorum }) };
  const step = { kind: 'tool', name: tool.name, readOnly: false, keyed: true, input } as const;
  const { text, isError } = await turn.step(step, (key) => tool.run(input, { key, signal: turn.signal }));
  if (isError) return { kind: 'decline', outcome: 'blocked', reason: text.replace(/^Error: /, '').replace(/ \(\w+\)$/, '') };
  // Written as code: naming people must not call them.
  const names = others.map((name) => `\`${name}\``);
  const rule = quorum === null ? '' : ` ${quorum} of ${others.length + 1} confirmations are enough, yours included.`;
  const reading = readingIn(text);
  const understood = reading === undefined ? '' : ` I understood: ${reading}.`;
  await turn.say(`I’ll arrange ${intent} with ${nameList(names)}: your peer asks theirs.${understood}${rule}`);
  return { kind: 'pause' };
}
