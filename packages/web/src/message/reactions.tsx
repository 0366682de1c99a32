import { defaultGlyphs, signals, signalWords } from '@parley/core';
import type { Message, Reaction } from '@parley/protocol';
import { errorText } from '../lib/error-text.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { nameOf } from '../state/names.ts';
import type { TriggerProps } from '../ui/popover.tsx';
import { Popover } from '../ui/popover.tsx';
import { toast } from '../ui/toast.tsx';

const smiles = {
  '❤️': 'love',
  '😂': 'laughing',
  '🎉': 'hooray',
  '🙏': 'thank you',
  '🔥': 'fire',
  '🤔': 'thinking',
  '💯': 'a hundred',
  '🚀': 'off it goes',
  '👏': 'applause',
  '😮': 'surprised',
  '😢': 'sad',
  '👎': 'no',
  '🙌': 'well done',
  '✨': 'sparkles',
  '💡': 'an idea',
  '🐛': 'a bug',
  '☕': 'coffee',
  '🧵': 'a thread',
  '📌': 'keep this',
  '⏳': 'soon',
  '❌': 'not this',
} as const;

/** What means something comes first, with its meaning; the rest are smiles. */
const choices: { emoji: string; means: string }[] = [
  ...signals.map((signal) => ({ emoji: defaultGlyphs[signal], means: `${signal}: ${signalWords[signal]}` })),
  ...Object.entries(smiles).map(([emoji, means]) => ({ emoji, means })),
];

/** The answer is not used: the fact brings the reactions of everyone, in order. */
function useReact(message: Message) {
  const { client } = useWorkspace();
  const myId = useSelect((state) => state.myId);
  return async (emoji: string) => {
    const mine = message.reactions.some((reaction) => reaction.emoji === emoji && reaction.memberIds.includes(myId));
    try {
      await client.call(mine ? 'removeReaction' : 'addReaction', { params: { messageId: message.id, emoji } });
    } catch (error) {
      toast(errorText(error), 'danger');
    }
  };
}

export function Reactions({ message, mayReact }: { message: Message; mayReact: boolean }) {
  const react = useReact(message);
  if (message.reactions.length === 0) return null;
  return (
    <ul className="mt-1.5 flex flex-wrap gap-1.5" aria-label="Reactions">
      {message.reactions.map((reaction) => (
        <li key={reaction.emoji}>
          <Chip reaction={reaction} disabled={!mayReact} onToggle={() => void react(reaction.emoji)} />
        </li>
      ))}
    </ul>
  );
}

function Chip({ reaction, disabled, onToggle }: { reaction: Reaction; disabled: boolean; onToggle: () => void }) {
  const { emoji, memberIds, signal } = reaction;
  const mine = useSelect((state) => memberIds.includes(state.myId));
  const names = useSelect((state) => memberIds.map((id) => (id === state.myId ? 'you' : nameOf(state.members[id]))).join(', '));
  // An agent's signal is shown as a word; agreeing people are a number.
  const byAgents = useSelect((state) =>
    signal === null
      ? ''
      : memberIds.flatMap((id) => (state.members[id]?.kind === 'agent' ? `^${state.members[id].handle}: ${signal}` : [])).join(', '),
  );
  return (
    <button
      type="button"
      disabled={disabled}
      onClick={onToggle}
      aria-pressed={mine}
      aria-label={`${emoji} ${memberIds.length}, from ${names}${byAgents && ` (${byAgents})`}`}
      title={signal === null ? names : `${signal}: ${names}`}
      className={`flex h-7 items-center gap-1.5 rounded-full border px-2.5 text-sm tabular-nums transition-colors ${mine ? 'border-accent bg-accent-soft font-medium text-accent-ink' : 'border-line bg-sunken text-ink-2 hover:border-line-strong'}`}
    >
      <span className="text-[15px] leading-none">{emoji}</span>
      {byAgents !== '' && <span className="font-medium">{byAgents}</span>}
      {(byAgents === '' || memberIds.length > 1) && memberIds.length}
    </button>
  );
}

export function ReactionPicker({ message, renderTrigger }: { message: Message; renderTrigger: (props: TriggerProps) => React.ReactNode }) {
  const react = useReact(message);
  return (
    <Popover label="Pick a reaction" columns={9} renderTrigger={renderTrigger}>
      {(close) => (
        <div className="grid grid-cols-9">
          {choices.map(({ emoji, means }) => (
            <button
              key={emoji}
              type="button"
              role="menuitem"
              aria-label={`${emoji} ${means}`}
              title={means}
              onClick={() => {
                close();
                void react(emoji);
              }}
              className="flex size-9 items-center justify-center rounded-lg text-lg hover:bg-hover"
            >
              {emoji}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}
