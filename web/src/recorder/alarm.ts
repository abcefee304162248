const hertz = [660, 440];
const toneSeconds = 0.18;
const loudness = 0.15;

/** Two falling tones, and a phone trembles: people who speak look elsewhere. */
export function soundAlarm(): void {
  navigator.vibrate?.([200, 100, 200]);
  const context = new AudioContext();
  const gain = new GainNode(context, { gain: loudness });
  gain.connect(context.destination);
  for (const [at, frequency] of hertz.entries()) {
    const tone = new OscillatorNode(context, { frequency });
    tone.connect(gain);
    tone.start(context.currentTime + at * toneSeconds);
    tone.stop(context.currentTime + (at + 1) * toneSeconds);
    if (at === hertz.length - 1) tone.onended = () => void context.close();
  }
}
