/** Chromium on Linux may name `en-US@posix`, with which every format throws. */
function isValid(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length > 0;
  } catch {
    return false;
  }
}

/** The page is in English, so dates and numbers are as the reader's own English writes them. */
export const locale =
  globalThis.navigator?.languages?.find((name) => /^en\b/i.test(name) && isValid(name)) ?? 'en-GB';
