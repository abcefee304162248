/** Whether a word is the last one of a sentence, in the scripts of Whisper's languages. */
export const endsSentence = (word: string) => /[.?!…。！？؟।።]["”’»)」』]*$/.test(word);
