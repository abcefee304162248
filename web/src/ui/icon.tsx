/** Icons on a 20 px grid with one stroke width, made to stand beside text. */
const paths = {
  note: 'M5 3.5h7l3.5 3.5v9.5H5zM12 3.5V7h3.5M7.5 10.5h5M7.5 13.5h3.5',
  mic: 'M10 2.5a2.5 2.5 0 0 1 2.5 2.5v4.5a2.5 2.5 0 0 1-5 0V5A2.5 2.5 0 0 1 10 2.5M4.5 9.5a5.5 5.5 0 0 0 11 0M10 15v2.5',
  wave: 'M3.5 8.5v3M7 5.5v9M10.5 8v4M14 3.5v13M17.5 8.5v3',
  history: 'M3.5 10a6.5 6.5 0 1 0 2-4.7L3.5 7M3.5 3.5V7H7M10 6.5V10l2.5 1.5',
  book: 'M4 4.5A1.5 1.5 0 0 1 5.5 3H16v14H5.5A1.5 1.5 0 0 1 4 15.5zM4 15.5A1.5 1.5 0 0 1 5.5 14H16M7.5 6.5h5',
  snippet: 'M7.5 6 3.5 10l4 4M12.5 6l4 4-4 4',
  chart: 'M3.5 16.5h13M6 13.5v-4M10 13.5V5M14 13.5V8',
  key: 'M12.8 3.5a3.7 3.7 0 1 1-3 5.9L4 15.2v1.3h2.5V15H8v-1.5l2.3-2.3M13.5 6.5h.01',
  team: 'M7.5 9.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5M2.5 16c0-2.5 2-4 5-4s5 1.5 5 4M13 4.3a2.7 2.7 0 0 1 0 5M14.5 12.2c1.9.5 3 1.8 3 3.8',
  person:
    'M10 10a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5M3.8 16.8c.5-2.6 2.8-4.2 6.2-4.2s5.7 1.6 6.2 4.2',
  folder:
    'M3 5.5A1.5 1.5 0 0 1 4.5 4H8l1.5 2h6A1.5 1.5 0 0 1 17 7.5v7a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 14.5z',
  search: 'M9 14.5A5.5 5.5 0 1 0 9 3.5a5.5 5.5 0 0 0 0 11M13 13l3.5 3.5',
  plus: 'M10 4v12M4 10h12',
  close: 'M5 5l10 10M15 5 5 15',
  check: 'M4.5 10.5 8.5 14.5 15.5 6',
  copy: 'M7.5 7.5V4h8.5v8.5h-3.5M4 7.5h8.5V16H4z',
  trash: 'M4 5.5h12M8 5.5V3.5h4v2M5.5 5.5l.7 11h7.6l.7-11M8.5 8.5v5M11.5 8.5v5',
  edit: 'M4 16v-3L13 4l3 3-9 9zM11.5 5.5l3 3',
  dots: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  back: 'M11.5 4.5 6 10l5.5 5.5',
  next: 'M8.5 4.5 14 10l-5.5 5.5',
  down: 'M5 8l5 5 5-5',
  link: 'M8.5 11.5l3-3M9 6.5l2.2-2.2a3.18 3.18 0 0 1 4.5 4.5L13.5 11M11 13.5l-2.2 2.2a3.18 3.18 0 0 1-4.5-4.5L6.5 9',
  external: 'M8 5H4.5v10.5H15V12M11 4h5v5M16 4l-7 7',
  download: 'M10 3.5v9M6 9l4 4 4-4M4 16.5h12',
  upload: 'M10 13V4M6 7.5l4-4 4 4M4 16.5h12',
  play: 'M6.5 4.5 15 10l-8.5 5.5z',
  pause: 'M7 4.5v11M13 4.5v11',
  stop: 'M6 6h8v8H6z',
  alert: 'M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.3h.01',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M10 9.5v4M10 6.7h.01',
  offline: 'M3 3l14 14M6.5 6.8A5 5 0 0 0 5.5 16H14M16.3 13.7A3.6 3.6 0 0 0 14 9a5 5 0 0 0-4.5-4',
  signOut: 'M8 3.5H4v13h4M12.5 6.5 16 10l-3.5 3.5M16 10H8',
  pin: 'M7.5 3.5h5l-.7 5.2 2.7 2.8h-9l2.7-2.8zM10 11.5v5',
  filter: 'M3.5 5h13M6 10h8M8.5 15h3',
} as const;

export type IconName = keyof typeof paths;

/** Hidden from screen readers: an icon always stands beside a label or inside a labelled button. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'dots' ? 2.4 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
