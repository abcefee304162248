import { Whisper, WhisperFullParams, WhisperSamplingStrategy } from '@napi-rs/whisper';
import type { WorkerCommand } from '../../src/engines/embedded/worker.ts';

/** The engine as its own documentation calls it: no gate, no cuts, the full window. Forked, to have a clean process. */
let whisper: Whisper | undefined;

process.on('message', (command: WorkerCommand) => {
  if (command.kind === 'load') {
    whisper = new Whisper(command.model.path, { useGpu: false });
    process.send?.('ready');
    return;
  }
  const params = new WhisperFullParams(WhisperSamplingStrategy.Greedy);
  params.language = 'en';
  params.nThreads = command.recognition.threads;
  params.noContext = true;
  params.printProgress = false;
  const started = performance.now();
  const text = whisper?.full(params, command.recognition.pcm) ?? '';
  process.send?.({ text, seconds: (performance.now() - started) / 1000 });
});
process.on('disconnect', () => process.exit());
