/** Every command shows one call that works as it stands. */
export const example = (call: string) => `\nExample:\n  npx steno ${call}`;
