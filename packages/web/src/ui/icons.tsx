// Drawn for this page on a 20-unit grid with one stroke, so that they sit together.

const paths = {
  hash: 'M7.6 3.5 6.2 16.5M13.8 3.5l-1.4 13M4 7.5h12.6M3.4 12.5H16',
  lock: 'M5.5 9h9a1 1 0 0 1 1 1v5.5a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1zM7 9V6.5a3 3 0 0 1 6 0V9',
  plus: 'M10 4.5v11M4.5 10h11',
  close: 'm5.5 5.5 9 9m0-9-9 9',
  menu: 'M3.5 5.5h13M3.5 10h13M3.5 14.5h13',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l3.5 3.5',
  people:
    'M7.5 9.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM2.5 16c.3-2.6 2.3-4 5-4s4.7 1.4 5 4M13 4.3a2.6 2.6 0 0 1 0 4.9M14.5 12.3c1.7.5 2.8 1.7 3 3.7',
  invite: 'M8 9.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM3 16c.3-2.6 2.3-4 5-4 1.3 0 2.4.3 3.3.9M15 12v5M12.5 14.5h5',
  bell: 'M10 3.5a4.2 4.2 0 0 0-4.2 4.2c0 3.6-1.3 4.8-1.3 5.8h11c0-1-1.3-2.2-1.3-5.8A4.2 4.2 0 0 0 10 3.5zM8.5 16a1.6 1.6 0 0 0 3 0',
  bellOff: 'M5.9 7.3c0 3.9-1.4 5.1-1.4 6.2h9M7.3 4.5A4.2 4.2 0 0 1 14.2 7.7c0 1.6.25 2.7.55 3.5M8.5 16a1.6 1.6 0 0 0 3 0M3.5 3.5l13 13',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  smile: 'M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM7.5 8.5h.01M12.5 8.5h.01M7.2 11.7c.6 1 1.6 1.6 2.8 1.6s2.2-.6 2.8-1.6',
  thread: 'M4 5.5A1.5 1.5 0 0 1 5.5 4h9A1.5 1.5 0 0 1 16 5.5v6a1.5 1.5 0 0 1-1.5 1.5H9l-3.5 3v-3A1.5 1.5 0 0 1 4 11.5zM7 7.3h6M7 9.8h3.5',
  edit: 'm4.5 15.5.8-3.2L12.6 5l2.4 2.4-7.3 7.3zM11.2 6.4l2.4 2.4',
  trash: 'M4.5 6h11M8 6V4.5h4V6M6 6l.6 9.5h6.8L14 6',
  link: 'M8.5 11.5a2.9 2.9 0 0 0 4.2 0l2.4-2.4a2.97 2.97 0 0 0-4.2-4.2L10 5.8M11.5 8.5a2.9 2.9 0 0 0-4.2 0l-2.4 2.4a2.97 2.97 0 0 0 4.2 4.2l.9-.9',
  clip: 'm14.8 9.2-5.1 5.1a3.2 3.2 0 0 1-4.5-4.5l5.6-5.6a2.12 2.12 0 0 1 3 3l-5.5 5.5a1.06 1.06 0 0 1-1.5-1.5l4.7-4.7',
  send: 'M3.8 10 3 4.2c-.1-.6.5-1 1-.8L16.6 9.3c.6.3.6 1.1 0 1.4L4 16.6c-.5.2-1.1-.2-1-.8zm0 0H10',
  copy: 'M7.5 7.5h7.5v8.5H7.5zM12.5 7.5V4H5v8.5h2.5',
  check: 'm4.5 10.5 3.5 3.5 7.5-8',
  chevron: 'm6 8 4 4 4-4',
  down: 'M10 4.5v11m-4.5-4.5 4.5 4.5 4.5-4.5',
  back: 'M12 5l-5 5 5 5',
  file: 'M6 3.5h5.5L15 7v9.5H6zM11.3 3.7V7.2h3.5',
  compass: 'M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM12.5 7.5l-1.4 3.6-3.6 1.4 1.4-3.6z',
  archive: 'M3.5 4.5h13v3.2h-13zM4.7 7.7v7.8h10.6V7.7M8.3 10.5h3.4',
  leave: 'M8.5 4H5v12h3.5M8.5 10H16m-3-3 3 3-3 3',
  moon: 'M15.8 11.8A6.3 6.3 0 0 1 8.2 4.2a6.3 6.3 0 1 0 7.6 7.6z',
  tasks: 'M4 5.5h1.5M4 10h1.5M4 14.5h1.5M8.5 5.5H16M8.5 10H16M8.5 14.5H16',
  play: 'M7 5.2v9.6l7.5-4.8z',
  stop: 'M6.5 5.5h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1z',
  redirect: 'M4 15v-3.5A3.5 3.5 0 0 1 7.5 8H16m-3.5-3.5L16 8l-3.5 3.5',
  why: 'M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM8.2 8.3c.2-1 .9-1.6 1.9-1.6 1.1 0 1.9.7 1.9 1.7 0 1.4-1.9 1.5-1.9 3M10.1 13.4h.01',
  wake: 'M10 3v2M4.9 5.1l1.4 1.4M15.1 5.1l-1.4 1.4M10 7.5a4 4 0 0 0-4 4V14h8v-2.5a4 4 0 0 0-4-4zM4.5 16.5h11',
  quiet: 'M3.5 8v4H6l3.5 3V5L6 8zM12.5 8l4 4m0-4-4 4',
  info: 'M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM10 9.2v4M10 6.7h.01',
  urgent: 'm11 3-6 8.3h4.3L8.8 17l6.2-8.5h-4.5z',
  key: 'M6.5 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10 10h7v2.8M13.8 10v2.2',
  handshake:
    'M3 6.5h2.5l2-1.5h3l2 1.5h4.5M3 13h2l3.2 2.6c.5.4 1.2.4 1.7 0L14.5 12H17M10.5 5 7.8 8.2c-.4.5-.3 1.3.3 1.6.5.3 1.1.2 1.5-.2L11 8.2l4 3.8',
  device: 'M6.5 3.5h7v13h-7zM9.3 14h1.4',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18, className = '' }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" className={`shrink-0 ${className}`}>
      <path
        d={paths[name]}
        fill={name === 'stop' ? 'currentColor' : 'none'}
        stroke="currentColor"
        strokeWidth={name === 'more' ? 2.2 : 1.5}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

export function Logo({ size = 28 }: { size?: number }) {
  return <img src="/favicon.svg" width={size} height={size} alt="" className="shrink-0" />;
}
