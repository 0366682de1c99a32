import type { Member } from '@parley/protocol';

/** Muted enough for a hundred of them on a screen, apart enough to tell two people of one name. */
const hues = ['#8a5a44', '#7a6a1f', '#4f7a3a', '#2f7a6d', '#3a6f96', '#5a62a8', '#83569b', '#a24d6d'] as const;

function hueOf(id: string): string {
  let sum = 0;
  for (const char of id) sum = (sum * 31 + char.charCodeAt(0)) >>> 0;
  return hues[sum % hues.length]!;
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) =>
    word ? String.fromCodePoint(word.codePointAt(0)!) : '',
  );
  return letters.join('').toUpperCase();
}

interface AvatarProps {
  member: Member | undefined;
  size?: number;
  /** Adds the dot that says whether the member is here. */
  presence?: boolean;
}

export function Avatar({ member, size = 36, presence = false }: AvatarProps) {
  const gone = member !== undefined && member.status !== 'active';
  const round = member?.kind === 'agent' ? 'rounded-full' : 'rounded-[28%]';
  return (
    <span className="relative inline-block shrink-0" style={{ width: size, height: size }} aria-hidden="true">
      <span
        className={`flex size-full items-center justify-center font-semibold select-none ${round} ${gone ? 'opacity-40 grayscale' : ''}`}
        style={{
          background: member ? hueOf(member.id) : 'var(--line-strong)',
          fontSize: Math.round(size * (size < 24 ? 0.55 : 0.38)),
          color: '#fff',
        }}
      >
        {member ? initialsOf(member.displayName).slice(0, size < 24 ? 1 : 2) : '·'}
      </span>
      {presence && !gone && <PresenceDot online={member?.online ?? false} className="absolute -right-0.5 -bottom-0.5" />}
    </span>
  );
}

function PresenceDot({ online, className = '' }: { online: boolean; className?: string }) {
  return (
    <span
      title={online ? 'Online' : 'Away'}
      className={`block size-2.5 rounded-full border-2 border-canvas ${online ? 'bg-online' : 'bg-canvas ring-[1.5px] ring-ink-3 ring-inset'} ${className}`}
    />
  );
}
