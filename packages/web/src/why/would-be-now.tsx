import { agentList } from '@parley/core';
import type { Explanation, WouldNow } from '@parley/protocol';
import { withHandles } from '../ui/handles.tsx';
import { Decision } from './agent-verdict.tsx';
import { groupVerdicts } from './verdict-groups.ts';

interface Props {
  wouldNow: WouldNow;
  recorded: Explanation['recorded'];
}

/** What today's rules would make of it in today's room, apart from what was decided. */
export function WouldBeNow({ wouldNow, recorded }: Props) {
  const { agents, others } = wouldNow;
  const { alone, groups } = groupVerdicts(agents);
  const apart = groups.filter(({ like }) => differs(like, others));
  const lines = [
    ...alone.map((agent) => ({ who: `^${agent.handle}`, decided: agent })),
    ...apart.map(({ handles, like }) => ({ who: agentList(handles), decided: like })),
    ...(differs(others, recorded?.others)
      ? [{ who: alone.length + apart.length === 0 ? 'Every agent' : 'Any other agent', decided: others }]
      : []),
  ];
  return (
    <section aria-label="Would now" className="mt-3 rounded-lg border border-dashed border-line px-3.5 py-2.5 text-sm">
      <h3 className="font-semibold">Would now</h3>
      <p className="text-[13px] text-ink-3">{whatChanged(wouldNow, recorded)}</p>
      <ul className="mt-1.5 space-y-1.5">
        {lines.map(({ who, decided }) => (
          <li key={who}>
            {withHandles(who)}: <span className="text-ink-2">{decided.text}</span>
            <Decision decided={decided} />
          </li>
        ))}
      </ul>
    </section>
  );
}

type Decided = Pick<WouldNow['others'], 'policy' | 'mode' | 'reason'>;
const differs = (a: Decided, b: Decided | undefined): boolean => a.policy !== b?.policy || a.mode !== b.mode || a.reason !== b.reason;

function whatChanged({ floor, rules }: WouldNow, recorded: Explanation['recorded']): string {
  const changes = [
    floor !== recorded?.floor && `the floor is ${floor} now`,
    rules !== recorded?.rules && `the rules are version ${rules} now`,
  ].filter((change) => change !== false);
  const because = changes.length > 0 ? changes.join(', and ') : 'the agents here, or their work, have changed since';
  return `Posted now, it would be decided differently: ${because}.`;
}
