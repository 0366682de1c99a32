// Who will be woken and who stays quiet, in sentences (SYS-3). `core` decides; here it is only put into words.

import { agentList, isAnyones, offerBeside, preview, sigilOf } from '@parley/core';
import type { Address, Listener, PreviewRoom, UnreadCause, Verdict } from '@parley/core';
import type { Agent } from '@parley/protocol';

export interface Doubt {
  /** As it was written, sigil included. */
  written: string;
  start: number;
  end: number;
  /** What may have been meant, with its sigil. */
  nearest: string | null;
  /** It is a member's, who is not in this conversation. */
  elsewhere: boolean;
  /** It is a role's that nobody here holds. */
  vacant: boolean;
  /** It looks like a handle, or stands where none is read. */
  cause: UnreadCause | undefined;
}

export interface Forecast {
  /** `hint`: nothing is written yet. */
  tone: 'wakes' | 'quiet' | 'hint';
  /** Undefined: there is no agent here that could be. */
  text: string | undefined;
  /** What only the hub knows at the moment of sending. */
  mayChange: string[];
  doubts: Doubt[];
  /** What was decided for each agent here, by handle. */
  verdicts: ReadonlyMap<string, Verdict>;
}

interface Input {
  room: PreviewRoom;
  me: string;
  text: string;
  attachments?: number;
  urgent?: boolean;
  /** By handle. */
  continuing: (handle: string) => Listener['continuing'];
  inThread?: (handle: string) => Listener['inThread'];
  /** We are still asking something of whichever agent takes it. */
  askingAny?: boolean;
  status: (handle: string) => Agent['status'] | undefined;
  /** Asked to leave here. */
  left?: (handle: string) => boolean;
  /** The hub has said that this agent takes no requests from us. */
  refuses?: (handle: string) => boolean;
  isMember: (handle: string) => boolean;
  isRole: (handle: string) => boolean;
  halted: boolean;
}

type Woken = [handle: string, verdict: Verdict];

export function forecast({
  room,
  me,
  text,
  attachments = 0,
  urgent = false,
  continuing,
  inThread,
  askingAny = false,
  status,
  left,
  refuses,
  isMember,
  isRole,
  halted,
}: Input): Forecast {
  const standing = (handle: string): Partial<Listener> => ({
    continuing: continuing(handle),
    inThread: inThread?.(handle),
    left: left?.(handle) === true,
    blocks: refuses?.(handle) === true,
  });
  const { addresses, verdicts, unknown } = preview(room, me, text, { attachments, standing, about: { urgent } });
  const woken = needed(
    [...verdicts].filter(([, verdict]) => verdict.task),
    status,
  );
  const writing = (): Partial<Listener> => ({ continuing: 'fragment' });
  const piece =
    askingAny &&
    [...preview(room, me, text, { attachments, standing: writing }).verdicts.values()].some(({ reason }) => reason === 'fragment');
  const adds = 'Adds to your last request to any agent.';
  const sent = [...verdicts].filter(([, { reason }]) => reason === 'asked_to_leave').map(([handle]) => handle);
  const leaves = sent.length > 0 && `Asks ${agentList(sent)} to leave.`;
  const refusing = [...verdicts].filter(([, { reason }]) => reason === 'author_blocked').map(([handle]) => handle);
  const refusals = refusing.length > 0 && `${agentList(refusing)} ${refusing.length === 1 ? 'takes' : 'take'} no requests from you.`;
  const wakes = woken.length > 0 && whoWakes(woken, verdicts.size - sent.length - refusing.length, continuing);
  const hurries = urgent && woken.some(([, { mode }]) => mode === 'immediate') && 'Urgent: at once, before other work.';
  const said = [piece && adds, leaves, refusals, wakes, hurries].filter((sentence) => sentence !== false).join(' ');
  return {
    tone: woken.length > 0 || piece ? 'wakes' : 'quiet',
    text: said !== '' ? said : verdicts.size === 0 ? noAgents(addresses) : whyNobody(verdicts, unknown.length > 0),
    verdicts,
    mayChange: halted && woken.length > 0 ? ['Everything is stopped: no agent starts until it is released.'] : statusLines(woken, status),
    doubts: unknown.map(({ handle, start, end, nearest, cause }) => ({
      written: text.slice(start, end),
      start,
      end,
      nearest: nearest === undefined ? null : `${sigilOf(text[start]!)}${nearest}`,
      elsewhere: cause === undefined && isMember(handle),
      vacant: cause === undefined && isRole(handle),
      cause,
    })),
  };
}

const isAny = ([, verdict]: Woken): boolean => verdict.reason === 'any_agent';

/** What `^ANY` comes to beside whom it names. */
const besides = (woken: Woken[], status: Input['status']): ReturnType<typeof offerBeside> =>
  offerBeside(
    woken.filter((one) => !isAny(one)).map(([handle]) => ({ here: status(handle) !== 'offline' })),
    woken.filter(isAny).map(([handle]) => ({ able: !['offline', 'sleeping'].includes(status(handle) ?? '') })),
  );

/** Without those whom `^ANY` would call, where who is named is enough. */
const needed = (woken: Woken[], status: Input['status']): Woken[] =>
  besides(woken, status) === 'none' ? woken.filter((one) => !isAny(one)) : woken;

/** An author who calls everyone where nobody is should know it before sending. */
const noAgents = (addresses: readonly Address[]): string | undefined => {
  if (addresses.some(({ kind }) => kind === 'any_agent')) return 'No agent is here: it waits for the first that comes.';
  return addresses.some(({ kind }) => kind === 'all_agents') ? 'No agent is here, so nobody is woken.' : undefined;
};

function whoWakes(woken: Woken[], agents: number, standing: Input['continuing']): string {
  // Calling everyone, or anyone, is a new request to each.
  const calledAgain = new Set(woken.filter(([, { reason }]) => reason === 'all_agents' || isAnyones(reason)).map(([handle]) => handle));
  const continuing = (handle: string): Listener['continuing'] => (calledAgain.has(handle) ? undefined : standing(handle));
  const fresh = woken.filter(([handle]) => continuing(handle) === undefined);
  const by = (reason: Verdict['reason']) => fresh.filter(([, verdict]) => verdict.reason === reason).map(([handle]) => handle);
  const [all, any, knocked] = [by('all_agents'), by('any_agent'), by('role')];
  const called = fresh.map(([handle]) => handle).filter((handle) => !any.includes(handle) && !knocked.includes(handle));
  const asked = woken.filter(([handle]) => continuing(handle) === 'asked').map(([handle]) => handle);
  const further = woken.filter(([handle]) => ['requester', 'asker', 'reply'].includes(continuing(handle) ?? '')).map(([handle]) => handle);
  const writing = woken.filter(([handle]) => continuing(handle) === 'fragment').map(([handle]) => handle);
  const quiet = agents - woken.length;
  const allAre = (reason: Verdict['reason']): boolean => fresh.length > 0 && fresh.every(([, verdict]) => verdict.reason === reason);
  const because = allAre('dm') ? ': this is a direct message' : allAre('question') ? ', the only agent in this thread' : '';
  return [
    asked.length > 0 && `Answers ${agentList(asked)}’s question${asked.length === 1 ? '' : 's'}.`,
    writing.length > 0 && `Adds to your last request to ${agentList(writing)}.`,
    further.length > 0 && `Goes on with ${agentList(further)}’s open task.`,
    all.length > 1 && called.length === all.length && `Wakes all ${all.length} agents here, a turn each.`,
    called.length > 0 && !(all.length > 1 && called.length === all.length) && `Wakes ${agentList(called)}${because}.`,
    knocked.length === 1 && `Knocks on ${agentList(knocked)}, which holds the role.`,
    knocked.length > 1 && `Knocks on ${agentList(knocked)}; whichever takes it first has it.`,
    any.length === 1 && `Wakes ${agentList(any)}.`,
    any.length > 1 && `Wakes whichever of ${any.length} agents takes it first.`,
    quiet > 0 && `${count(quiet)} ${quiet === 1 ? 'stays' : 'stay'} quiet.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

/** `doubted`: somebody is addressed whom nobody here answers for, which the line below says. */
function whyNobody(verdicts: ReadonlyMap<string, Verdict>, doubted: boolean): string {
  const all = [...verdicts.values()];
  const quiet = `${count(all.length)} ${all.length === 1 ? 'stays' : 'stay'} quiet`;
  if (all.some((verdict) => verdict.policy === 'may_respond'))
    return `Nobody is called. ${count(all.length)} may answer: the floor here is open.`;
  if (all.every((verdict) => verdict.reason === 'left')) return `Nobody is woken: ${quiet}, asked to leave and not called by name.`;
  if (all.some((verdict) => verdict.reason === 'filler')) return `Nobody is woken: ${quiet}, as there is nothing in it to answer.`;
  if (all.some((verdict) => verdict.reason === 'addressed_to_others')) return `Nobody is woken: ${quiet}, as somebody else is addressed.`;
  if (all.some((verdict) => verdict.reason === 'status')) return `Nobody is woken: ${quiet}, as it asks for nothing.`;
  return doubted ? 'Nobody is woken.' : `Nobody is woken: ${quiet}, as nobody is addressed.`;
}

function statusLines(woken: Woken[], status: Input['status']): string[] {
  const named = woken.filter(([, { reason }]) => !isAnyones(reason)).map(([handle]) => handle);
  const knocked = woken.filter(([, { reason }]) => reason === 'role');
  const lines = named.flatMap((handle) => {
    if (status(handle) === 'offline') return `^${handle} is offline: it will get this when it comes back (may change).`;
    return status(handle) === 'sleeping' ? `^${handle} sleeps: this wakes it (may change).` : [];
  });
  const isAway = ([handle]: Woken): boolean => ['offline', 'sleeping'].includes(status(handle) ?? '');
  if (knocked.length > 0 && knocked.every(isAway)) lines.push('No agent with this role is here: it waits for one (may change).');
  const away = woken.some(isAny) && besides(woken, status) === 'wait';
  return away ? [...lines, 'No agent is here to take it: it waits for one (may change).'] : lines;
}

const count = (agents: number): string => (agents === 1 ? '1 agent' : `${agents} agents`);
