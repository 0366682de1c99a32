import type { Leave } from '@parley/protocol';
import { timeOfDay } from '../lib/time.ts';
import { useMember, useSelect } from '../state/context.ts';
import { calledAs, nameOf } from '../state/names.ts';
import { withHandles } from '../ui/handles.tsx';
import { Icon } from '../ui/icons.tsx';

/** Who asked an agent to leave, in its place in the conversation. */
export function LeaveRow({ leave }: { leave: Leave }) {
  const agent = useMember(leave.memberId);
  const by = useMember(leave.askedBy);
  const mine = useSelect((state) => state.myId === leave.askedBy);
  const who = mine ? 'You' : leave.askedBy === null ? 'Somebody' : nameOf(by);
  return (
    // A feed holds articles; what the platform says is a note in one.
    <article>
      <div role="note" data-leave={leave.memberId} className="flex gap-3 px-4 py-0.5 text-[13px] text-ink-2 sm:px-6">
        <span className="flex w-9 shrink-0 justify-end pt-0.5">
          <Icon name="leave" size={15} className="text-ink-3" />
        </span>
        <div className="min-w-0 flex-1">
          {who} asked {withHandles(calledAs(agent))} to leave. It is quiet here until it is called by name.
          <time className="ml-1 text-xs text-ink-3 tabular-nums">{timeOfDay(leave.at)}</time>
        </div>
      </div>
    </article>
  );
}
