import { transcribeAccess } from '../../domain/access.ts';
import { resultOf, type Transcription, transcribeResult } from '../../domain/transcription.ts';
import { stream } from '../../kernel/operation.ts';
import { acceptUploads, readUpload, transcribeForm, uploadSchema } from '../../platform/http/upload.ts';
import { transcribe } from './transcribe.ts';

export const transcribeAudio = stream({
  http: 'POST /api/v1/transcribe',
  tool: 'transcribe_audio',
  access: transcribeAccess,
  cost: 5,
  summary: 'Transcribe a recording (beta)',
  errors: ['concurrency_limit', 'quota_exceeded'],
  wire: { multipart: uploadSchema },
  accepts: acceptUploads,
  digest: ({ reply, signal }) => readUpload(reply, signal, transcribeForm),
  answer: transcribeResult.meta({ id: 'TranscribeResult' }),
  // `settle` keeps the record.
  again: async (_, { kept }) => resultOf(kept as Transcription),
  run: async (context) =>
    resultOf(
      await transcribe(context, (signal) => readUpload(context.reply, signal, transcribeForm), {
        client: context.signal,
      }),
    ),
});
