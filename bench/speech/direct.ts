import { loadTranscribeCpp } from '../../src/engines/speech/pool/transcribe-cpp-recogniser.ts';
import type { WorkerCommand } from '../../src/engines/speech/pool/worker.ts';
import type { Recogniser } from '../../src/engines/speech/recogniser.ts';
import { textOf } from '../../src/engines/speech/segments.ts';

/** The second engine on the same model file: no voice gate, no cuts. In a process of its own, to have a clean one. */
let recogniser: Recogniser | undefined;

process.on('message', async (command: WorkerCommand) => {
  if (command.kind === 'load') {
    recogniser = await loadTranscribeCpp(command.model.path, command.model.name, command.threads);
    process.send?.('ready');
    return;
  }
  if (command.kind !== 'recognise') return;
  const started = performance.now();
  const heard = await recogniser?.recognise({ ...command.chunk, prompt: '' });
  process.send?.({ text: textOf(heard?.pieces ?? []), seconds: (performance.now() - started) / 1000 });
});
process.on('disconnect', () => process.exit());
