import { Button } from './button.tsx';

interface Props {
  /** What it does, and what cannot be taken back. */
  text: string;
  /** The button that does it. */
  act: string;
  busy: boolean;
  onAct: () => void;
  onBack: () => void;
}

/** In the place of the button that was tapped: what ends or sends something is asked for once more. */
export const AskAgain = ({ text, act, busy, onAct, onBack }: Props) => (
  <fieldset aria-label={act} className="mt-2.5 min-w-0 rounded-lg bg-notice-soft px-3 py-2.5 text-sm text-notice">
    <p className="[overflow-wrap:anywhere]">{text}</p>
    <div className="mt-2 flex flex-wrap gap-2">
      <Button look="danger" disabled={busy} onClick={onAct}>
        {act}
      </Button>
      <Button autoFocus disabled={busy} onClick={onBack}>
        Back
      </Button>
    </div>
  </fieldset>
);
