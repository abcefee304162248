import { broken, type Check, ok, reasonOf, warning } from '../../../domain/status.ts';
import { createWriter, type WriterSettings } from '../../../engines/language-model/index.ts';

const check = 'language model';
const fix =
  'check STENO_LLM_URL, STENO_LLM_KEY and STENO_LLM_MODEL, and whether that server runs (docs/language.md)';
/** A note of ten minutes has about 2,000 tokens. */
const smallWindow = 4_096;
const question = 'Write the numbers from one to thirty in words, separated by spaces. Nothing else.';

/** Asks the model for a few words: does it stream, how fast, and how much fits into its window? */
export async function checkLanguage(settings: WriterSettings, signal?: AbortSignal): Promise<Check> {
  const writer = createWriter(settings);
  if (!writer.isOn) return ok(check, 'none: STENO_LLM_URL is not set, so no text leaves this server');
  try {
    const { address, model, window } = await writer.status();
    const begun = performance.now();
    let [first, parts, tokens] = [0, 0, 0];
    const messages = [{ role: 'user', content: question }] as const;
    for await (const part of writer.write({
      userId: '',
      purpose: 'long',
      system: '',
      messages,
      maxTokens: 1_000,
      ...(signal && { signal }),
    })) {
      first ||= performance.now();
      if (part.kind === 'text') parts += 1;
      else tokens = part.tokens.answer;
    }
    const seconds = (performance.now() - begun) / 1_000;
    const speed = Math.round(tokens / Math.max(0.001, seconds));
    const found = `${model} at ${address}: window ${window} tokens, ${parts > 1 ? 'streams' : 'does not stream'}, first word after ${((first - begun) / 1_000).toFixed(1)} s, ${speed} tokens a second`;
    return window < smallWindow
      ? warning(check, found, 'give the model a window of 4096 tokens or more, or set STENO_LLM_WINDOW')
      : ok(check, found);
  } catch (cause) {
    const inner = cause instanceof Error && cause.cause instanceof Error ? ` (${reasonOf(cause.cause)})` : '';
    return broken(check, `${reasonOf(cause)}${inner}`, fix);
  }
}
