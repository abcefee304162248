/**
 * Does the engine of this system tell words with their times? Where npm has no whisper.cpp, transcribe-cpp runs in its
 * place and tells phrases only.
 */
export const tellsWords = await import('../../src/engines/embedded/whisper-recogniser.ts').then(
  () => true,
  () => false,
);
