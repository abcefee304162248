import { pcmRate } from '../../src/domain/audio.ts';
import type { WorkerCommand } from '../../src/engines/speech/pool/worker.ts';

/** A worker process whose behaviour is told by the prompt: for what a real model does only on a bad day. */
const hoard: Buffer[] = [];
const info = { model: 'odd', languages: ['en', 'de'] };

process.on('message', (command: WorkerCommand) => {
  if (command.kind === 'load') {
    process.send?.({ kind: 'ready', info });
    return;
  }
  if (command.kind === 'diarize') {
    process.send?.({ kind: 'diarized', turns: [] });
    return;
  }
  if (command.kind === 'embed') {
    // So that a test can see who did it.
    const times = Float64Array.of(process.pid, process.pid);
    process.send?.({ kind: 'embedded', embeddings: { times, vectors: new Float32Array(128) } });
    return;
  }
  const { nameList: prompt, pcm, language } = command.chunk;
  if (prompt.includes('crash')) process.abort();
  if (prompt.includes('hang')) return;
  if (prompt.includes('bloat')) {
    setInterval(() => hoard.push(Buffer.alloc(50_000_000, 1)), 10);
    return;
  }
  if (prompt.includes('refuse')) {
    process.send?.({ kind: 'failed', message: 'no' });
    return;
  }
  const text = prompt.includes('language') ? ` ${language ?? 'unknown'}` : ` ${process.pid}`;
  const piece = { text, start: 0, end: pcm.length / pcmRate, isWord: true, score: null };
  const recognised = { pieces: [piece], language: language ?? 'en' };
  const answer = () => process.send?.({ kind: 'recognised', recognised });
  if (prompt.includes('encoded')) process.send?.({ kind: 'encoded' });
  if (prompt.includes('slow')) setTimeout(answer, 200);
  else answer();
});
process.on('disconnect', () => process.exit());
