import { useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

interface RemoveProps {
  label: string;
  /** Its value in words. */
  text: string;
  busy: boolean;
  onRemove: () => void;
}

/** Asks once: the others lose it too. */
export function RemoveField({ label, text, busy, onRemove }: RemoveProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <IconButton small icon="trash" label={`Remove ${label}`} disabled={busy} onClick={() => setAsking(true)} />
      {asking && (
        <Dialog
          title={`Remove “${label}”?`}
          hint="It goes from this space for everybody, until somebody writes it again."
          onClose={() => setAsking(false)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>Keep</Button>
              <Button
                look="danger"
                onClick={() => {
                  setAsking(false);
                  onRemove();
                }}
              >
                Remove
              </Button>
            </>
          }
        >
          <p className="[overflow-wrap:anywhere]">{text}</p>
        </Dialog>
      )}
    </>
  );
}
