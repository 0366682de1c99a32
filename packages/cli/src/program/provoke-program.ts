// The commands about events and the agents they wake.

import { Argument, type Command } from 'commander';
import { run, several } from './action.ts';
import type { EventAction, EventOptions } from '../commands/provoke/events.ts';
import type { InvocationAction, InvocationOptions } from '../commands/provoke/invocations.ts';
import type { ProvokeAction, ProvokeName } from '../commands/provoke/provoke-objects.ts';

const invocationId = /^inv_[0-9A-Z]{26}$/;
const eventId = /^evt_[0-9A-Z]{26}$/;
/** An ID in the place of the action is to be shown. */
const actionOrId = (actions: readonly string[], id: RegExp): Argument => {
  const action = new Argument('[action]', 'what to do').choices(actions).default('list');
  const check = action.parseArg!;
  return action.argParser((typed, before: unknown) => (id.test(typed) ? typed : check(typed, before)));
};
const shown = <A extends string>(action: A, id: string | undefined, isId: RegExp): [A | 'show', string | undefined] =>
  isId.test(action) ? ['show', action] : [action, id];

export function addProvoke(program: Command): void {
  program
    .command('emit')
    .argument('[type]', 'the event’s type, as in energy.price.threshold_exceeded')
    .description('emit an event, and print what each trigger did with it')
    .option('--payload <json>', 'its data: the observed value and its threshold')
    .option('--id <id>', 'the same id starts a trigger once; default: a new one')
    .option('--time <time>', 'the event’s time, as in 2026-03-11T06:00:00Z; default: now')
    .option('--file <file>', 'an event as JSON; - reads standard input')
    .option('--lines', 'many events on standard input: JSON lines in, JSON lines out')
    .action(run(async () => (await import('../commands/provoke/emit.ts')).emit));
  program
    .command('simulate')
    .description('what other triggers would have done with the events on record, or another floor with the messages of a channel')
    .option('--trigger <file>', 'triggers that are new or changed; repeatable', several, [])
    .option('--manifest <file>', 'manifests that are new or changed; repeatable', several, [])
    .option('--without <name>', 'as if this trigger, or this agent in a channel, had not been there; repeatable', several, [])
    .option('--events <file>', 'events from a file, one per line, and no hub is asked; - reads standard input')
    .option('--channel <channel>', 'what was said in a channel, instead of events; as the member of PARLEY_TOKEN')
    .option('--floor <floor>', 'as if its floor had been polite, or open')
    .option('--agent <handle>', 'as if this agent had been there, too; repeatable', several, [])
    .option('--since <time>', 'only those of the last 7d, 12h, 30m')
    .option('--last <number>', 'at most so many of the latest (10000 events, 200 messages)')
    .action(run(async () => (await import('../commands/provoke/simulate-events.ts')).simulate));
  addObjects(program);
  addInvocations(program);
  addEvents(program);
}

const kinds: Record<ProvokeName, string> = {
  triggers: 'which event wakes which agent',
  manifests: 'manifests: the agents that events wake, and what they may do',
  sources: 'sources: who may send events, and which',
  schedules: 'events at set times',
  absences: 'events when nothing came for a while',
};
const actions: ProvokeAction[] = ['list', 'show', 'put', 'history', 'enable', 'disable', 'remove'];

function addObjects(program: Command): void {
  for (const [name, about] of Object.entries(kinds) as [ProvokeName, string][]) {
    const command = program
      .command(name)
      .alias(name.slice(0, -1))
      .addArgument(new Argument('[action]', 'what to do').choices(actions).default('list'))
      .argument('[subject]', 'its id; for put, a file, or - for standard input')
      .description(`${about}: list, show, put, history, enable, disable, remove`)
      .action(
        run(async () => {
          const { provoke } = await import('../commands/provoke/provoke-objects.ts');
          return (context, action: ProvokeAction, subject: string | undefined) => provoke(context, name, action, subject);
        }),
      );
    if (name === 'triggers') addTest(command);
  }
}

function addTest(triggers: Command): void {
  triggers
    .command('test')
    .argument('[type]', 'the event’s type, as for emit; or see --event')
    .description('dry run: what triggers would do with events, step by step')
    .option('--payload <json>', 'with a type: its data')
    .option('--source <name>', 'with a type: the monitor that noticed')
    .option('--id <id>', 'with a type: its id; default: a new one')
    .option('--time <time>', 'with a type: its time; default: now')
    .option('--trigger <file>', 'triggers, as YAML or JSON; repeatable; without one, those of the hub', several, [])
    .option('--manifest <file>', 'their manifests; repeatable', several, [])
    .option('--event <file>', 'an event as JSON, or one per line; without one, JSON lines in and out', several, [])
    .option('--depth <number>', 'how many invocations came before in its chain')
    .option('--steps', 'with JSON lines: every step and filter, not only where it ended')
    .action(run(async () => (await import('../commands/provoke/trigger-test.ts')).testTriggers));
}

function addInvocations(program: Command): void {
  program
    .command('invocations')
    .alias('invocation')
    .addArgument(actionOrId(['list', 'show', 'ask', 'cancel'], invocationId))
    .argument('[invocation]', 'its id (inv_…)')
    .description('list what triggers started, and its state')
    .option('--state <state>', 'only those: open, or a state such as queued, running, completed, failed', 'all')
    .option('--trigger <id>', 'only those of this trigger')
    .option('--last <number>', 'at most so many of the latest', '50')
    .action(
      run(async () => {
        const { invocations } = await import('../commands/provoke/invocations.ts');
        return (context, action: InvocationAction, id: string | undefined, options: InvocationOptions) =>
          invocations(context, ...shown(action, id, invocationId), options);
      }),
    );
}

function addEvents(program: Command): void {
  program
    .command('events')
    .alias('event')
    .addArgument(actionOrId(['list', 'show'], eventId))
    .argument('[event]', 'its id (evt_…), or the one that its sender gave it')
    .description('list the events that came, and their outcome')
    .option('--unmatched', 'only those that no trigger let through its filters')
    .option('--type <type>', 'only those of this type')
    .option('--last <number>', 'at most so many of the latest', '50')
    .action(
      run(async () => {
        const { events } = await import('../commands/provoke/events.ts');
        return (context, action: EventAction, id: string | undefined, options: EventOptions) =>
          events(context, ...shown(action, id, eventId), options);
      }),
    );
}
