import { AppError } from '../../domain/errors.ts';
import type { CommandContext, Context } from '../../kernel/context.ts';
import { isoAfter } from '../../lib/clock.ts';

/** The `Retry-After` of a pause without an end. */
const openEndedRetrySeconds = 300;
const name = 'transcription_paused';

export interface PauseState {
  paused: boolean;
  /** ISO timestamp; null if the pause lasts until somebody ends it. */
  until: string | null;
}

/**
 * The operator's switch for transcription. Every check reads it from the database, by primary key, so a change applies to
 * the next call on every replica. The setting STENO_TRANSCRIPTION_PAUSED wins over it.
 */
export async function pauseState({
  db,
  now,
  parts,
}: Pick<Context, 'db' | 'now' | 'parts'>): Promise<PauseState> {
  if (parts.config.transcriptionPaused) return { paused: true, until: null };
  const row = await db.selectFrom('switches').select('on_until').where('name', '=', name).executeTakeFirst();
  const paused = row !== undefined && (row.on_until === null || row.on_until > now);
  return { paused, until: paused ? row.on_until : null };
}

/** Raises `service_unavailable`, with the time to wait, while transcription is paused. */
export async function refuseWhilePaused(context: Pick<Context, 'db' | 'now' | 'parts'>): Promise<void> {
  const { paused, until } = await pauseState(context);
  if (!paused) return;
  const ms = until === null ? openEndedRetrySeconds * 1000 : Date.parse(until) - Date.parse(context.now);
  throw new AppError('service_unavailable', 'Transcription is paused; try again later.', {
    retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)),
  });
}

/** Without `minutes` it lasts until `endPause`. */
export async function beginPause(
  { tx, now }: Pick<CommandContext, 'tx' | 'now'>,
  minutes?: number,
): Promise<void> {
  const on_until = minutes === undefined ? null : isoAfter(now, minutes * 60_000);
  const state = { on_until, updated_at: now };
  await tx
    .insertInto('switches')
    .values({ name, ...state })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(state))
    .execute();
}

export async function endPause({ tx }: Pick<CommandContext, 'tx'>): Promise<void> {
  await tx.deleteFrom('switches').where('name', '=', name).execute();
}
