/** Joins class names, leaving out what is not there. */
export const classNames = (...names: (string | false | undefined | null)[]) =>
  names.filter(Boolean).join(' ');
