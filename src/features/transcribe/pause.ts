import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SwitchStore } from '../../platform/database/ports/store.ts';

/** The `Retry-After` of a pause without an end. */
const openEndedRetrySeconds = 300;
const switchName = 'transcription_paused';

export interface PauseState {
  paused: boolean;
  /** ISO timestamp; null if the pause lasts until somebody ends it. */
  until: string | null;
}

/**
 * The operator's switch for transcription. Every check reads it from the database, by primary key, so a change applies to
 * the next call on every replica.
 */
export function createPause({ switches, clock, always }: Dependencies) {
  async function state(): Promise<PauseState> {
    if (always) return { paused: true, until: null };
    const row = await switches.get(switchName);
    const paused = row !== undefined && (row.on_until === null || Date.parse(row.on_until) > clock());
    return { paused, until: paused ? row.on_until : null };
  }

  return {
    state,

    /** Raises `service_unavailable`, with the time to wait, while transcription is paused. */
    async check(): Promise<void> {
      const { paused, until } = await state();
      if (!paused) return;
      const seconds = until === null ? openEndedRetrySeconds : (Date.parse(until) - clock()) / 1000;
      throw new AppError('service_unavailable', 'Transcription is paused; try again later.', {
        retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
      });
    },

    /** Without `minutes` it lasts until `end`. */
    async begin(minutes?: number): Promise<PauseState> {
      const now = clock();
      const until = minutes === undefined ? null : new Date(now + minutes * 60_000).toISOString();
      await switches.turnOn(switchName, until, new Date(now).toISOString());
      return state();
    },

    /** Still returns `paused` if the setting STENO_TRANSCRIPTION_PAUSED is on. */
    async end(): Promise<PauseState> {
      await switches.turnOff(switchName);
      return state();
    },
  };
}

interface Dependencies {
  switches: SwitchStore;
  clock: Clock;
  /** The setting STENO_TRANSCRIPTION_PAUSED, which wins over the switch. */
  always: boolean;
}
