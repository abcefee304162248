import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

const batchRequests = 256;
const durations = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** A figure and its labels. */
export type Sample = readonly [labels: Record<string, string>, value: number];

/** The metrics for Prometheus. Labels are route patterns, states and statuses, never ids or addresses. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'steno_http_request_duration_seconds',
    help: 'Time to answer a request, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: durations,
    registers,
    collect: count,
  });
  let uncounted: [labels: { method: string; route: string; status: number }, seconds: number][] = [];

  function count(): void {
    for (const [labels, seconds] of uncounted) requests.observe(labels, seconds);
    uncounted = [];
  }

  const counter = (name: string, help: string) => new Counter({ name, help, registers });

  const transcribedSeconds = counter(
    'steno_transcribed_audio_seconds_total',
    'Seconds of speech that the engine has transcribed, silence left out.',
  );
  const busySeconds = counter(
    'steno_recogniser_busy_seconds_total',
    'Seconds that recognisers have worked. Divided by the seconds of speech: the real-time factor.',
  );
  const total = async (of: Counter) => (await of.get()).values[0]?.value ?? 0;

  /** Each outcome is there from the beginning, so that the first failure is a step from 0. */
  function outcomes<Outcome extends string>(name: string, help: string, known: readonly Outcome[]) {
    const counted = new Counter({ name, help, labelNames: ['outcome'], registers });
    for (const outcome of known) counted.inc({ outcome }, 0);
    return (outcome: Outcome) => counted.inc({ outcome });
  }

  return {
    registry,
    /** Read each time that Prometheus asks. */
    watch(name: string, help: string, read: () => readonly Sample[] | Promise<readonly Sample[]>): void {
      const labelled = new Gauge({
        name,
        help,
        // With no label there would be a 0 before the first figure. prom-client checks names of labels only here.
        labelNames: ['kind', 'state', 'status', 'pool', 'version', 'node', 'database'],
        registers,
        async collect() {
          // Silent: without its database the server has no figures of it, and /readyz says why.
          const samples = await (async () => read())().catch(() => []);
          labelled.reset();
          for (const [labels, value] of samples) labelled.set(labels, value);
        },
      });
    },
    observeRequest(method: string, route: string, status: number, seconds: number): void {
      // In batches, because counting one by one took a tenth of the time of a point read.
      if (uncounted.push([{ method, route, status }, seconds]) >= batchRequests) count();
    },
    rateLimited: counter(
      'steno_rate_limited_total',
      'Calls refused because a key had used up its minute or its day.',
    ),
    failedAuthentications: counter(
      'steno_failed_authentications_total',
      'Calls refused because of their credential.',
    ),
    faults: counter('steno_faults_total', 'Calls answered with internal_error.'),
    databaseWrites: new Histogram({
      name: 'steno_database_write_duration_seconds',
      help: 'Time until a write was on disk, waiting for its turn included.',
      buckets: durations,
      registers,
    }),
    recordingEnded: outcomes(
      'steno_recording_jobs_total',
      'Recordings that were transcribed, that failed for good, and tries that failed and wait for another.',
      ['done', 'failed', 'retried'],
    ),
    languageJobEnded: outcomes(
      'steno_language_jobs_total',
      'Texts that were written, that failed for good, and tries that failed and wait for another.',
      ['done', 'failed', 'retried'],
    ),
    transcribedSeconds,
    busySeconds,
    recogniserFaults: counter(
      'steno_recogniser_faults_total',
      'Recognisers that crashed, hung or were killed, or calls to a speech server that failed.',
    ),
    webhookAttempted: outcomes(
      'steno_webhook_attempts_total',
      'Events that a receiver of a webhook accepted, and attempts that failed.',
      ['delivered', 'failed'],
    ),
    /** Seconds of speech, and seconds of work. */
    speechSeconds: async () => ({
      transcribed: await total(transcribedSeconds),
      busy: await total(busySeconds),
    }),
    mailSent: outcomes('steno_mails_total', 'E-mails that the mail server took, and that failed.', [
      'sent',
      'failed',
    ]),
  };
}
