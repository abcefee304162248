import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { acceptedAudio, maxUploadBytes, sizeInWords } from '../domain/audio.ts';
import { invalid } from '../domain/errors.ts';
import { maxSpeakers } from '../domain/transcription.ts';
import { parseWith } from '../kernel/schemas.ts';
import type { ToolForm } from './form.ts';

/** Room for a file in base64, which makes it a third larger, and for the rest of the message. */
export const maxMessageBytes = 1.5 * maxUploadBytes;

const input = z.object({
  audio_base64: z
    .string()
    .describe(
      `The audio file in base64: ${acceptedAudio}, at most ${sizeInWords(maxUploadBytes)} before encoding.`,
    ),
  filename: z.string().optional(),
  language: z.string().optional().describe('Language code of the audio, such as en or en-US.'),
  prompt: z.string().optional().describe('Names and jargon to spell correctly, separated by commas.'),
  speakers: z.int().min(1).max(maxSpeakers).optional().describe('How many people speak, if you know it.'),
});

/** JSON cannot carry a file, so this tool has an input of its own: it takes base64 and sends the route a form. */
export const audioForm = ({ url }: RouteOptions): ToolForm => ({
  input,
  async toRequest(given) {
    const { audio_base64, filename = 'audio', ...fields } = parseWith(input, given);
    const form = new FormData();
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined) form.set(name, String(value));
    form.set('file', new Blob([decode(audio_base64)]), filename);
    const encoded = new Response(form);
    return {
      url,
      headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
      payload: Buffer.from(await encoded.arrayBuffer()),
    };
  },
});

/** Buffer skips characters that are not base64; audio with such gaps would be transcribed wrongly instead of refused. */
function decode(text: string): Buffer<ArrayBuffer> {
  const bare = text.replace(/\s+/g, '');
  const bytes = Buffer.from(bare, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== bare.replace(/=+$/, ''))
    throw invalid('audio_base64 must be the file in standard base64.');
  return bytes;
}
