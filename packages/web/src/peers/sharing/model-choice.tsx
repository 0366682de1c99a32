import type { PeerModel } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { useId } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Problem } from '../../ui/problem.tsx';
import { FailedRead } from '../failed-read.tsx';
import { useRead } from '../use-read.ts';

const load = (client: Client) => client.call('getPeerModel');

const nameOf = ({ provider, models }: PeerModel['offered'][number]): string => `${models.join(', ')} (${provider})`;

/** Rules, or the hub's model: who thinks for one's peer. Without an offer there is nothing to choose. */
export function ModelChoice() {
  const { client } = useWorkspace();
  const read = useRead(load);
  const name = useId();
  const set = useAction(async (isOn: boolean) => read.replace(await client.call('setPeerModel', { body: { isOn } })));
  if (!read.data) return <FailedRead read={read} quiet={false} />;
  const { offered, isOn } = read.data;
  if (offered.length === 0)
    return (
      <p className="text-sm text-ink-3">
        {isOn
          ? 'You chose a model, but this hub offers none any more. Rules negotiate for you.'
          : 'Rules negotiate for you. This hub offers no model.'}
      </p>
    );
  const [first, second] = offered;
  const choice = (on: boolean, label: string, about: string) => (
    <div className="relative flex items-start gap-2.5 rounded-xl border border-line px-3 py-2.5 has-checked:border-accent">
      <input
        id={`${name}${on}`}
        type="radio"
        name={name}
        aria-describedby={`${name}${on}about`}
        className="mt-1 accent-accent"
        checked={isOn === on}
        disabled={set.busy}
        onChange={() => set.act(on)}
      />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        {/* All of the box can be tapped. */}
        <label htmlFor={`${name}${on}`} className="block cursor-pointer font-medium after:absolute after:inset-0">
          {label}
        </label>
        <p id={`${name}${on}about`} className="text-sm text-ink-2">
          {about}
        </p>
      </div>
    </div>
  );
  return (
    <fieldset className="min-w-0 space-y-2">
      <legend className="sr-only">Who negotiates for you</legend>
      {choice(false, 'Rules', 'They arrange meetings and ask for fields. No provider reads anything.')}
      {choice(
        true,
        nameOf(first!),
        `It also understands other words, and weighs wishes. The provider reads your request, fields that the other person may get, and what their peer writes${
          second ? `. If it does not answer, ${nameOf(second)} is asked` : ''
        }.`,
      )}
      <Problem text={set.error} />
    </fieldset>
  );
}
