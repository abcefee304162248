import { closeSync } from 'node:fs';
import { z } from 'zod';
import type { Sent } from '../../kernel/context.ts';
import { keepAnswer, stream } from '../../kernel/operation.ts';
import { acceptAnyBody, spoolBody } from '../../platform/http/spool.ts';
import { importSent } from './imports.ts';

const maxBytes = 100_000_000;
const count = z.int().describe('How many were added.');

/** The file of the request, without a name; the caller closes it. */
const receive = ({ request, parts, signal }: Sent) =>
  spoolBody(request, { folder: parts.config.dataDir, maxBytes, signal });

export const importExport = stream({
  http: 'POST /api/v1/import',
  access: { credential: 'key', personal: 'notes:write' },
  cost: 20,
  summary: 'Add what is in an export',
  description:
    'An extension of this server. The body is the zip of `GET /export`, or a zip of Markdown files, at most 100 MB. What is here already stays as it is, so the call can be repeated.',
  accepts: acceptAnyBody,
  digest: async (sent) => closeSync(await receive(sent)),
  wire: { zipBody: true, idempotent: 'repeatable' },
  answer: z.object({
    notes: count,
    folders: count,
    tags: count,
    transcriptions: count,
    recordings: count,
    dictionary_words: count,
    snippets: count,
    known: z.int().describe('How many were here already.'),
    without_audio: z
      .int()
      .describe(
        'Recordings that came without their audio: it is missing, no audio, larger than your plan allows, or this server keeps none.',
      ),
    not_transcribed: z
      .int()
      .describe(
        'Recordings that waited to be transcribed and that came as `failed`, because your plan or your workspace does not allow it, or without their audio.',
      ),
    left_out: z
      .array(z.enum(['transcriptions', 'recordings', 'dictionary', 'snippets']))
      .describe('What this key may not write.'),
  }),
  errors: ['limit_reached', 'plan_required', 'concurrency_limit'],
  audit: ['import.made'],
  // Each may have a file of 100 MB on disk.
  bound: { name: 'import', most: 1, inAll: 40 },
  again: keepAnswer.again,
  async run(context) {
    const counts = await importSent(context, (signal) => receive({ ...context, signal }));
    const { complete } = context;
    if (complete) await context.act(({ tx }) => complete(tx, { id: '', kept: { data: counts } }));
    return counts;
  },
});
