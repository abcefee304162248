/** What speech engines usually know; the server says so when its own does not. */
const codes =
  'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id is it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv ta th tr uk ur vi zh';
const names = new Intl.DisplayNames(undefined, { type: 'language' });

/** `de` → "German"; what nobody knows stays as it is. */
export function languageName(code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}

export const languages = codes
  .split(' ')
  .map((code) => ({ code, name: languageName(code) }))
  .sort((one, other) => one.name.localeCompare(other.name));
