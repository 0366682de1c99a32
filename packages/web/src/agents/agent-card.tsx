import {
  isOpen,
  lastRunText,
  privateNotesText,
  privateResultsText,
  taskText,
  unwokenText,
  wakingText,
  wokenAsksText,
  wokenBrainText,
} from '@parley/core';
import type { Agent, Member } from '@parley/protocol';
import { useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { conversationPath, followLink, navigate, workPath } from '../lib/router.ts';
import { momentOf } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useNow } from '../lib/use-now.ts';
import { useMe, useMember, useSelect, useWorkspace } from '../state/context.ts';
import { calledAs } from '../state/names.ts';
import { mayEditAgent } from '../state/rights.ts';
import { withAgent } from '../state/work.ts';
import { activityWords } from '../tasks/task-words.ts';
import { StateMark } from '../tasks/state-mark.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { Blocks } from './agent-blocks.tsx';
import { SleepForm } from './sleep-form.tsx';

const brains: Record<Agent['brain'], string> = {
  builtin: 'built in: no model, no network',
  model: 'a language model, run by this hub',
  remote: 'its own program, connected from outside',
};

const modes: Record<Agent['mode'], string> = {
  autonomous: 'never: it is autonomous',
  supervised: 'before it changes something or contacts somebody: it is supervised',
  strict: 'before every tool: it is strict',
};

interface Props {
  agentId: string;
  onClose: () => void;
  /** Something on it led elsewhere: what is open above the page closes as well. */
  onLeave: () => void;
}

/** Who an agent is, what it is doing, and who answers for it. */
export function AgentCard({ agentId, onClose, onLeave }: Props) {
  const member = useMember(agentId);
  const agent = useSelect((state) => state.agents[agentId]);
  const now = useNow();
  if (!member) return null;
  // What holds when an event wakes it is left out where none does.
  const woken = agent?.waking && unwokenText(agent.waking) === undefined ? agent.waking : undefined;
  const isIdle = agent?.waking && !woken;
  return (
    <Dialog
      forReading
      title={member.displayName}
      hint={calledAs(member)}
      onClose={onClose}
      footer={<DmButton member={member} onLeave={onLeave} />}
    >
      <div className="space-y-4">
        <div className="flex items-center gap-3">
          <Avatar member={member} size={44} presence={!isIdle} />
          <Status agent={agent} />
        </div>
        {member.about !== '' && <p className="text-sm break-words whitespace-pre-wrap">{member.about}</p>}
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-sm">
          {agent?.waking && <Row name="Woken by">{wakingText(agent.waking)}</Row>}
          {agent?.waking?.lastRun && <Row name="Last run">{lastRunText(agent.waking.lastRun, momentOf(agent.waking.lastRun.at, now))}</Row>}
          <Row name="Brain">
            {woken && <OnEvents>{wokenBrainText(woken)}</OnEvents>}
            {agent ? brains[agent.brain] : 'not known'}
          </Row>
          {agent && (
            <Row name="Asks first">
              {woken && <OnEvents>{wokenAsksText(woken, agent.mode)}</OnEvents>}
              {modes[agent.mode]}
            </Row>
          )}
          {agent?.privateNotes && <Row name="Private notes">{privateNotesText}</Row>}
          {agent?.privateTools && agent.privateTools.length > 0 && (
            <Row name="Private data">{`${agent.privateTools.join(', ')}: ${privateResultsText}`}</Row>
          )}
          <Row name="Owner">
            <Who id={member.ownerId} />
          </Row>
          <Row name="Manager">
            <Who id={member.managerId} />
          </Row>
        </dl>
        <OpenTasks agentId={agentId} onLeave={onLeave} />
        {agent && <Sleep member={member} agent={agent} />}
        <Blocks agent={member} />
      </div>
    </Dialog>
  );
}

/** What holds when an event wakes it; what stands below holds when somebody speaks to it. */
function OnEvents({ children }: { children: string }) {
  return (
    <>
      <span className="block">when woken: {children}</span>
      <span>when spoken to: </span>
    </>
  );
}

/** In words: what it does, from the tasks one may see, and asked for again whenever one of those moves. */
function Status({ agent }: { agent: Agent | undefined }) {
  const tasks = useSelect((state) => state.tasks);
  const now = useNow();
  return (
    <output aria-label="Status" className="text-sm font-medium">
      <AskAnew key={activityWords(agent, tasks, now)} />
      {activityWords(agent, tasks, now, true)}
    </output>
  );
}

function AskAnew() {
  const { client, store } = useWorkspace();
  useEffect(() => {
    // Without it what is here stands.
    client
      .call('listAgents')
      .then(({ agents }) => store.update((state) => agents.reduce(withAgent, state)))
      .catch(() => {});
  }, [client, store]);
  return null;
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function Who({ id }: { id: string | null }) {
  const member = useMember(id);
  if (id === null) return 'nobody';
  return member ? `${member.displayName} (${calledAs(member)})` : 'somebody you cannot see';
}

const most = 5;

function OpenTasks({ agentId, onLeave }: { agentId: string; onLeave: () => void }) {
  const all = useSelect((state) => state.tasks);
  const members = useSelect((state) => state.members);
  const myId = useSelect((state) => state.myId);
  const open = useMemo(() => Object.values(all).filter((task) => task.agentId === agentId && isOpen(task.state)), [all, agentId]);
  return (
    <section aria-label="Open tasks">
      <h3 className="mb-1 text-xs font-medium text-ink-3">
        {open.length === 0 ? 'No open task that you can see' : `Open tasks: ${open.length}`}
      </h3>
      <ul>
        {open.slice(0, most).map((task) => (
          <li key={task.id}>
            <a
              href={workPath(task.chainId)}
              onClick={(event) => {
                followLink(event);
                onLeave();
              }}
              className="flex min-h-8 items-center gap-2 rounded-lg text-sm hover:underline"
            >
              <StateMark state={task.state} away={!task.agentOnline} />
              {taskText(task, task.requesterId === myId ? 'you' : calledAs(members[task.requesterId ?? '']))}, for{' '}
              {task.requesterId === myId ? 'you' : calledAs(members[task.requesterId ?? ''])}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function DmButton({ member, onLeave }: { member: Member; onLeave: () => void }) {
  const { client, refreshConversation } = useWorkspace();
  const write = useAction(async () => {
    const dm = await client.call('openDm', { body: { memberIds: [member.id] } });
    await refreshConversation(dm.id);
    onLeave();
    navigate(conversationPath(dm.id));
  });
  if (member.status !== 'active') return null;
  return (
    <>
      <Problem text={write.error} />
      <Button look="primary" icon="thread" disabled={write.busy} onClick={write.act}>
        Message {calledAs(member)}
      </Button>
    </>
  );
}

/** For those who may say when it sleeps. */
function Sleep({ member, agent }: { member: Member; agent: Agent }) {
  const me = useMe();
  const { client, store } = useWorkspace();
  const [round, setRound] = useState(0);
  const set = useAction(async (asleepUntil: number | null) => {
    const next = await client.call('editAgent', { params: { memberId: agent.id }, body: { asleepUntil } });
    store.update((state) => withAgent(state, next));
    setRound((before) => before + 1);
  });
  if (!mayEditAgent(me, member) || member.status !== 'active') return null;
  return <SleepForm key={round} until={agent.asleepUntil} busy={set.busy} error={set.error} onSet={set.act} />;
}
