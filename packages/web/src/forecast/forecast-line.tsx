import { invisibleCharacters, unreadText } from '@parley/core';
import { useEffect, useState } from 'react';
import { withHandles } from '../ui/handles.tsx';
import { Icon } from '../ui/icons.tsx';
import { BringIn } from './bring-in.tsx';
import type { Doubt, Forecast } from './forecast-words.ts';

interface Props {
  forecast: Forecast;
  /** Where it is written, or where its thread hangs; undefined until that is known. */
  roomId: string | undefined;
  onReplace: (doubt: Doubt) => void;
}

const quietForMs = 1_000;

/** Under the composer: who will be woken by what stands in it, and who stays quiet. */
export function ForecastLine({ forecast, roomId, onReplace }: Props) {
  const { text, tone, mayChange, doubts } = forecast;
  const said = [tone === 'hint' ? '' : (text ?? ''), ...doubts.map(spokenDoubt), ...mayChange].join(' ').trim();
  return (
    <div data-forecast={tone} className="mt-1 flex min-h-5 flex-col gap-0.5 px-1.5 text-[12.5px] leading-5 text-ink-3">
      {text && (
        <span className={`flex items-start gap-1.5 ${tone === 'wakes' ? 'text-accent-ink' : ''}`}>
          {tone !== 'hint' && <Icon name={tone === 'wakes' ? 'wake' : 'quiet'} size={15} className="mt-0.5" />}
          <span>{withHandles(text)}</span>
        </span>
      )}
      {doubts.map((doubt) => (
        <span key={doubt.start} className="flex items-start gap-1.5 text-notice">
          <Icon name="info" size={15} className="mt-0.5" />
          <span>
            {withHandles(doubtSentence(doubt))}
            {doubt.elsewhere && roomId !== undefined && <BringIn handle={doubt.written.slice(1)} roomId={roomId} />}
            {doubt.nearest !== null && !doubt.elsewhere && !doubt.vacant && (
              <>
                {' Did you mean '}
                <button
                  type="button"
                  aria-label={`Use ${doubt.nearest}`}
                  onClick={() => onReplace(doubt)}
                  className="rounded font-semibold underline underline-offset-2"
                >
                  {doubt.nearest}
                </button>
                ?
              </>
            )}
          </span>
        </span>
      ))}
      {mayChange.map((line) => (
        <span key={line} className="pl-5.5">
          {withHandles(line)}
        </span>
      ))}
      <Spoken text={said} />
    </div>
  );
}

const doubtSentence = ({ written, elsewhere, vacant, cause }: Doubt): string =>
  unreadText(cause, written.replaceAll(invisibleCharacters, '')) ??
  (vacant ? `Nobody here holds ${written}.` : elsewhere ? `${written} is not in this conversation.` : `Nobody here is called ${written}.`);

const spokenDoubt = (doubt: Doubt): string =>
  `${doubtSentence(doubt)}${doubt.nearest === null || doubt.elsewhere || doubt.vacant ? '' : ` Did you mean ${doubt.nearest}?`}`;

/** Said once the writer pauses: a sentence per keystroke would drown out what they type. */
function Spoken({ text }: { text: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), quietForMs);
    return () => clearTimeout(timer);
  }, [text]);
  return <output className="sr-only">{said}</output>;
}
