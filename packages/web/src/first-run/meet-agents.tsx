import type { Agent, Member, MyConversation } from '@parley/protocol';
import { useEffect } from 'react';
import { useCompose } from '../conversation/contexts.ts';
import { useDialogs } from '../dialogs/context.ts';
import { dismissHint } from '../lib/hints.ts';
import { conversationPath, followLink } from '../lib/router.ts';
import { useNow } from '../lib/use-now.ts';
import { useSelect } from '../state/context.ts';
import { activityWords } from '../tasks/task-words.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { firstPrompts } from './prompts.ts';
import { useAgents } from './use-agents.ts';
import { useDemo } from './use-demo.ts';

/** At the beginning of a channel in which nothing was said yet: who is here, and what to say. The story is offered a while longer. */
export function MeetAgents({ conversation }: { conversation: MyConversation }) {
  const messages = useSelect((state) => state.timelines[conversation.id]?.ids.length ?? mostMessages);
  const present = useAgents(conversation.id);
  const compose = useCompose();
  const prompts = firstPrompts(present.flatMap(({ agent }) => agent ?? []));
  const isShown = messages === 0 && present.length > 0;
  useEffect(() => {
    if (isShown) dismissHint('agents');
  }, [isShown]);
  if (messages >= mostMessages || present.length === 0) return null;
  if (messages > 0) return <StoryOffer onlyFirst />;
  return (
    <section aria-label="Meet your agents" className="mt-6 max-w-2xl">
      <h3 className="font-semibold">Meet your agents</h3>
      <p className="mt-0.5 text-sm text-ink-2">They speak only when somebody calls them. Call one with ^ and its name.</p>
      <ul className="mt-3 grid gap-2.5 sm:grid-cols-2">
        {present.slice(0, mostCards).map(({ member, agent }) => (
          <Card key={member.id} member={member} agent={agent} />
        ))}
      </ul>
      {prompts.length > 0 && (
        <>
          <h4 className="mt-5 text-sm font-medium">Try one of these</h4>
          <ul className="mt-2 flex flex-wrap gap-2">
            {prompts.map((prompt) => (
              <li key={prompt}>
                <button
                  type="button"
                  onClick={() => compose(prompt)}
                  className="min-h-9 rounded-full border border-line-strong bg-canvas px-3.5 text-left text-sm hover:bg-hover"
                >
                  {prompt}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <StoryOffer />
    </section>
  );
}

const mostCards = 6;
const mostMessages = 30;

function Card({ member, agent }: { member: Member; agent: Agent | undefined }) {
  const tasks = useSelect((state) => state.tasks);
  const { openAgent } = useDialogs();
  const now = useNow();
  return (
    <li className="flex gap-3 rounded-xl border border-line px-3.5 py-3">
      <Avatar member={member} size={36} presence />
      <div className="min-w-0 flex-1 text-sm">
        <button type="button" onClick={() => openAgent(member.id)} className="min-h-6 rounded font-semibold hover:underline">
          ^{member.handle}
        </button>
        <span className="ml-2 text-xs text-ink-2">{activityWords(agent, tasks, now)}</span>
        {member.about !== '' && <p className="text-ink-2">{member.about}</p>}
      </div>
    </li>
  );
}

/** For those who may play it; while it plays, the way to it. `onlyFirst`: until one was played. */
function StoryOffer({ onlyFirst = false }: { onlyFirst?: boolean }) {
  const { demo, play } = useDemo();
  if (!demo?.mayPlay || (onlyFirst && demo.played)) return null;
  return (
    <div className="mt-5 flex flex-wrap items-center gap-x-3 gap-y-2">
      {demo.conversationId === null ? (
        <Button look="primary" icon="play" disabled={play.busy} onClick={play.act}>
          {play.busy ? 'Starting…' : 'Show me a story'}
        </Button>
      ) : (
        <a
          href={conversationPath(demo.conversationId)}
          onClick={followLink}
          className="inline-flex min-h-9 items-center rounded-lg bg-accent px-3.5 text-sm font-medium text-on-accent hover:bg-accent-hover"
        >
          Watch the story in #demo
        </a>
      )}
      <p className="text-sm text-ink-2">
        A delegation, an approval and an event, live in a #demo channel, in under a minute. No key needed.
      </p>
      <Problem text={play.error} />
    </div>
  );
}
