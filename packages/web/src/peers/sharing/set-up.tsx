import { askedDefaults, defaultSharing, type SharingTier, sharingTiers } from '@parley/core/consent';
import { useId, useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useMe, useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { fieldLabel } from '../field-words.ts';
import { storedNames, tierLabels } from './tier-rows.ts';

type Asked = (typeof askedDefaults)[number];

const preselected = Object.fromEntries(askedDefaults.map((field) => [field, defaultSharing.base[field] ?? 'ask_first'])) as Record<
  Asked,
  SharingTier
>;

/** At first contact, once: who one is, and the five defaults (A2C-39). Everything is preselected, so one tap is enough. */
export function SetUp({ onDone }: { onDone: () => void }) {
  const { client } = useWorkspace();
  const me = useMe();
  const [name, setName] = useState(me.displayName);
  const [area, setArea] = useState('');
  const [zone, setZone] = useState(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [tiers, setTiers] = useState(preselected);
  const save = useAction(async () => {
    await client.call('makePeer');
    const fields = { name, general_location_area: area, timezone: zone };
    for (const [field, value] of Object.entries(fields))
      if (value.trim() !== '') await client.call('setPeerField', { body: { field, value: value.trim() } });
    for (const field of askedDefaults)
      for (const stored of storedNames(field)) await client.call('setPeerTier', { body: { field: stored, tier: tiers[field] } });
    onDone();
  });
  return (
    <form
      aria-label="Set up your peer"
      className="mt-2 mb-6 rounded-xl border border-line-strong px-4 py-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        save.act();
      }}
    >
      <h2 className="font-semibold">Set up your peer</h2>
      <p className="mt-0.5 text-sm text-ink-2">
        It talks to other people’s peers for you. You confirm every result, and you can change all of this later under Sharing.
      </p>
      {/* It also stands in a narrow dialog on a wide screen. */}
      <div className="mt-3 grid grid-cols-[repeat(auto-fit,minmax(min(100%,11rem),1fr))] items-end gap-x-3 gap-y-2">
        <Field label="Your name" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        <Field
          label="Where you are based"
          placeholder="Reading, UK"
          maxLength={200}
          value={area}
          onChange={(event) => setArea(event.target.value)}
        />
        <Field
          label="Time zone (detected)"
          spellCheck={false}
          maxLength={100}
          value={zone}
          onChange={(event) => setZone(event.target.value)}
        />
      </div>
      <p className="mt-3 mb-1 text-sm font-medium">When other people’s peers ask yours, what may it share?</p>
      <div className="divide-y divide-line">
        {askedDefaults.map((field) => (
          <TierChoice
            key={field}
            label={fieldLabel(field)}
            tier={tiers[field]}
            onChoose={(tier) => setTiers({ ...tiers, [field]: tier })}
          />
        ))}
      </div>
      <p className="mt-2 text-sm text-ink-2">With a new person your peer asks you more often, until it learns what you share with them.</p>
      <Problem text={save.error} />
      <div className="mt-3 flex justify-end">
        <Button type="submit" look="primary" disabled={save.busy || name.trim() === ''}>
          {save.busy ? 'Saving…' : 'Save'}
        </Button>
      </div>
    </form>
  );
}

interface ChoiceProps {
  label: string;
  tier: SharingTier;
  onChoose: (tier: SharingTier) => void;
}

function TierChoice({ label, tier, onChoose }: ChoiceProps) {
  const name = useId();
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-sm">
      <legend className="float-left mr-3 w-44 py-1">{label}</legend>
      <div className="flex gap-x-3">
        {sharingTiers.map((one) => (
          <label key={one} className="flex min-h-8 items-center gap-1.5 pr-2">
            <input type="radio" name={name} className="size-4 accent-accent" checked={one === tier} onChange={() => onChoose(one)} />
            {tierLabels[one]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
