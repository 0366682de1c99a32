import { useEffect, useState } from 'react';
import { Icon } from '../ui/icons.tsx';
import type { Doubt, Forecast } from './forecast.ts';

interface Props {
  forecast: Forecast;
  onReplace: (doubt: Doubt) => void;
}

const quietForMs = 1_000;

/** Under the composer: who will be woken by what stands in it, and who stays quiet. */
export function ForecastLine({ forecast, onReplace }: Props) {
  const { text, tone, mayChange, doubts } = forecast;
  const said = [tone === 'hint' ? '' : (text ?? ''), ...doubts.map(doubtSentence), ...mayChange].join(' ').trim();
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
            {withHandles(doubtSentence(doubt))}{' '}
            {doubt.nearest !== null && !doubt.elsewhere && (
              <button type="button" onClick={() => onReplace(doubt)} className="rounded font-medium underline underline-offset-2">
                Use {doubt.nearest}
              </button>
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

function doubtSentence({ written, nearest, elsewhere }: Doubt): string {
  if (elsewhere) return `${written} is not in this conversation.`;
  return `Nobody here is called ${written}.${nearest === null ? '' : ` Did you mean ${nearest}?`}`;
}

/** Said once the writer pauses: a sentence per keystroke would drown out what they type. */
function Spoken({ text }: { text: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), quietForMs);
    return () => clearTimeout(timer);
  }, [text]);
  return <output className="sr-only">{said}</output>;
}

/** Our own sentences, so that every handle in them can stand out. */
export function withHandles(sentence: string) {
  return sentence.split(/([\^@][A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)/).map((part, index) =>
    index % 2 === 1 ? (
      // oxlint-disable-next-line react/no-array-index-key
      <b key={index} className="font-semibold">
        {part}
      </b>
    ) : (
      part
    ),
  );
}
