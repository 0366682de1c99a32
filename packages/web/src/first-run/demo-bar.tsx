import type { MyConversation } from '@parley/protocol';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { isDemoLike, useDemo } from './use-demo.ts';

/** Above the demo story: what it is, and the way to be rid of it. */
export function DemoBar({ conversation }: { conversation: MyConversation }) {
  // Only a channel of that name can be it; no other asks the hub.
  return isDemoLike(conversation) ? <Bar conversationId={conversation.id} /> : null;
}

function Bar({ conversationId }: { conversationId: string }) {
  const { demo, remove } = useDemo();
  if (demo?.conversationId !== conversationId) return null;
  return (
    <section
      aria-label="Demo"
      className="flex shrink-0 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line bg-notice-soft px-4 py-1.5 text-sm text-notice sm:px-6"
    >
      <span>A demo: the agents’ words are scripted, everything else is real.</span>
      <Button icon="trash" disabled={remove.busy} onClick={remove.act} className="min-h-8">
        {remove.busy ? 'Removing…' : 'Remove the demo'}
      </Button>
      <Problem text={remove.error} />
    </section>
  );
}
