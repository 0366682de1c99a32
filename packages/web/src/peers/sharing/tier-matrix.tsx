import { type SharingTier, sharingTiers } from '@parley/core/consent';
import type { PeerPerson, PeerProfile } from '@parley/protocol';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Problem } from '../../ui/problem.tsx';
import { fieldLabel } from '../field-words.ts';
import { storedNames, tierLabels, tierRows } from './tier-rows.ts';

interface Props {
  profile: PeerProfile;
  people: readonly PeerPerson[];
  onChanged: (profile: PeerProfile) => void;
}

/** Fields by people. A column of a person holds what differs for them. */
export function TierMatrix({ profile, people, onChanged }: Props) {
  const { client } = useWorkspace();
  const set = useAction(async (field: string, tier: SharingTier | null, address?: string) => {
    let last = profile;
    for (const name of storedNames(field))
      last = await client.call('setPeerTier', { body: { field: name, tier, ...(address === undefined ? {} : { address }) } });
    onChanged(last);
  });
  const shown = people.filter(({ blocked }) => !blocked);
  const rows = tierRows(
    profile,
    shown.map(({ address }) => address),
  );
  return (
    <>
      <Problem text={set.error} />
      <div className="overflow-x-auto rounded-xl border border-line">
        <table className="w-full border-collapse text-sm">
          <caption className="sr-only">What your peer shares, by field and person</caption>
          <thead>
            <tr className="bg-sunken text-left">
              <th scope="col" className="sticky left-0 bg-sunken px-3 py-2 font-medium">
                Field
              </th>
              <th scope="col" className="px-2 py-2 font-medium">
                Everybody
              </th>
              {shown.map(({ address, name }) => (
                <th key={address} scope="col" title={address} className="max-w-40 truncate px-2 py-2 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ field, base, overrides }) => (
              <tr key={field} className="border-t border-line">
                <th scope="row" className="sticky left-0 max-w-44 min-w-28 bg-canvas px-3 py-1.5 text-left font-normal break-words">
                  {fieldLabel(field)}
                </th>
                <td className="px-2 py-1.5">
                  <TierSelect
                    label={`${fieldLabel(field)}, for everybody`}
                    tier={base}
                    disabled={set.busy}
                    onChange={(tier) => set.act(field, tier)}
                  />
                </td>
                {shown.map(({ address, name }, n) => (
                  <td key={address} className="px-2 py-1.5">
                    <TierSelect
                      label={`${fieldLabel(field)}, for ${name}${overrides[n] === undefined ? ': as for everybody' : ''}`}
                      tier={overrides[n]}
                      inherited={base}
                      disabled={set.busy}
                      onChange={(tier) => set.act(field, tier, address)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length > 0 && <p className="mt-1.5 text-[13px] text-ink-3">In brackets: as for everybody.</p>}
    </>
  );
}

interface SelectProps {
  label: string;
  tier: SharingTier | undefined;
  /** What holds where nothing else was chosen. */
  inherited?: SharingTier;
  disabled: boolean;
  onChange: (tier: SharingTier | null) => void;
}

const looks: Readonly<Record<SharingTier, string>> = {
  always_share: 'border-accent bg-accent-soft text-accent-ink',
  ask_first: 'border-line-strong bg-canvas text-ink',
  never_share: 'border-danger bg-danger-soft text-danger',
};

function TierSelect({ label, tier, inherited, disabled, onChange }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={tier ?? ''}
      disabled={disabled}
      onChange={({ target }) => onChange(target.value === '' ? null : (target.value as SharingTier))}
      className={`h-8 rounded-md border px-1.5 text-[13px] ${tier === undefined ? 'border-line bg-canvas text-ink-2' : looks[tier]}`}
    >
      {inherited !== undefined && <option value="">{`(${tierLabels[inherited]})`}</option>}
      {sharingTiers.map((one) => (
        <option key={one} value={one}>
          {tierLabels[one]}
        </option>
      ))}
    </select>
  );
}
