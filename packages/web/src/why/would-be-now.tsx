import type { WouldNow } from '@parley/protocol';
import { Decision } from './agent-verdict.tsx';

/** What today's rules would make of it, apart from what was decided. */
export function WouldBeNow({ wouldNow }: { wouldNow: WouldNow }) {
  const { agents, others, floor, rules } = wouldNow;
  return (
    <section aria-label="Would now" className="mt-3 rounded-lg border border-dashed border-line px-3.5 py-2.5 text-sm">
      <h4 className="font-semibold">Would now</h4>
      <p className="text-[13px] text-ink-3">
        Said today it would be decided differently: the floor is {floor}, the rules are version {rules}.
      </p>
      <ul className="mt-1.5 space-y-1.5">
        {agents.map((agent) => (
          <li key={agent.agentId}>
            <span className="font-medium">^{agent.handle}</span> <span className="text-ink-2">{agent.text}</span>
            <Decision decided={agent} />
          </li>
        ))}
        <li>
          <span className="font-medium">Any other agent</span> <span className="text-ink-2">{others.text}</span>
          <Decision decided={others} />
        </li>
      </ul>
    </section>
  );
}
