import type { Client } from '@parley/sdk';
import { useState } from 'react';
import { dismissHint, isHintDue } from '../../lib/hints.ts';
import { Button } from '../../ui/button.tsx';
import { SetUp } from './set-up.tsx';
import { useRead } from '../use-read.ts';

const load = (client: Client) => client.call('getPeer');

/** The defaults are asked for once, where one first meets them. `folded`: beside something else that waits. */
export function FirstContact({ folded = false }: { folded?: boolean }) {
  const me = useRead(load);
  const [opened, setOpened] = useState(false);
  const [refused, setRefused] = useState(() => !isHintDue('defaults', ''));
  if (!me.data || me.data.isSetUp || refused) return null;
  if (!folded || opened) return <SetUp onDone={me.reload} />;
  return (
    <p className="my-2 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg bg-notice-soft px-3 py-2 text-sm text-notice">
      <span className="min-w-0 flex-[1_1_14rem]">
        Your peer arranges things with other people’s peers for you. It asks you what to share, less often once it knows.
      </span>
      <span className="flex gap-1.5">
        <Button onClick={() => setOpened(true)} className="min-h-8">
          Set your defaults
        </Button>
        <Button
          look="quiet"
          className="min-h-8"
          onClick={() => {
            dismissHint('defaults');
            setRefused(true);
          }}
        >
          Not now
        </Button>
      </span>
    </p>
  );
}
