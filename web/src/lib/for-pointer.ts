/** Node has none. */
const { matchMedia } = globalThis as { matchMedia?: (query: string) => { matches: boolean } };
const isFinger = matchMedia?.('(pointer: coarse)').matches ?? false;

/** Words for this device: a touch screen has no drag and drop of files, and no keys. The same media query as in the styles. */
export const forPointer = <Words>(words: { mouse: Words; finger: Words }): Words =>
  isFinger ? words.finger : words.mouse;
