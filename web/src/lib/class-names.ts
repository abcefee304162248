/** Joins class names and skips empty ones. */
export const classNames = (...names: (string | false | undefined | null)[]) =>
  names.filter(Boolean).join(' ');
