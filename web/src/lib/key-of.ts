interface Native {
  key: string;
  isComposing: boolean;
  keyCode: number;
}

/** Safari ends the word before it tells of the key that ended it, and says so by this code alone. */
const composingCode = 229;

/**
 * The key that was pressed, for every listener. It is no key while an input method builds a word: Enter, arrows and Esc then
 * choose among the words that it offers.
 */
export function keyOf(event: Native | { nativeEvent: Native }): string {
  const { key, isComposing, keyCode } = 'nativeEvent' in event ? event.nativeEvent : event;
  return isComposing || keyCode === composingCode ? '' : key;
}
