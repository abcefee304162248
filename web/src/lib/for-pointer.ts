const isFinger = globalThis.matchMedia?.('(pointer: coarse)').matches ?? false;

/** The words for how this device is used: a finger has nothing to drop a file with, and no keys. The same question as in the styles. */
export const forPointer = <Words>(words: { mouse: Words; finger: Words }): Words =>
  isFinger ? words.finger : words.mouse;
