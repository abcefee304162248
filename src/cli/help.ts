/** Every command shows an example that works as it is. */
export const example = (call: string) => `\nExample:\n  npx steno ${call}`;
/** An id, for examples. */
export const someId = '0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e';
