import { QrCode } from './qr-code.tsx';

/** Sixty digits in groups, as they are read out, and as a code to scan. */
export const SafetyNumber = ({ number, name }: { number: string; name: string }) => (
  <div className="mt-2 flex flex-wrap items-start gap-3">
    <div className="min-w-0 flex-[1_1_12rem]">
      <p className="text-xs font-medium text-ink-3">Safety number of you and {name}</p>
      <p className="mt-1 grid grid-cols-3 gap-x-3 gap-y-0.5 rounded-lg bg-sunken px-2.5 py-2 font-mono text-sm tabular-nums sm:grid-cols-4">
        {number.split(/\s+/).map((group, n) => (
          // Groups can be equal; their order never changes.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={n}>{group}</span>
        ))}
      </p>
    </div>
    <div className="w-32">
      {/* Digits alone, as the terminal shows them: spec/identity.md. */}
      <QrCode text={number.replaceAll(/\s/g, '')} label={`Safety number of you and ${name}, as a QR code`} />
    </div>
  </div>
);

interface ComparedBoxProps {
  name: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** What somebody says before a key counts. */
export const ComparedBox = ({ name, checked, onChange }: ComparedBoxProps) => (
  <label className="mt-2 flex items-start gap-2 text-sm">
    <input
      type="checkbox"
      className="mt-0.5 size-4 shrink-0 accent-accent"
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
    />
    <span>I compared the number with {name}, in person or by voice. It is the same on both sides.</span>
  </label>
);
