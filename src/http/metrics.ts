import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

const batchRequests = 256;

interface QueueAge {
  count: number;
  oldestSeconds: number;
}
type Queues<State extends string> = Record<State, QueueAge>;

/** The metrics for Prometheus. Labels are route patterns and statuses, never ids or addresses. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'steno_http_request_seconds',
    help: 'Time to answer a request, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
    collect: count,
  });
  let uncounted: [labels: { method: string; route: string; status: number }, seconds: number][] = [];

  function count(): void {
    for (const [labels, seconds] of uncounted) requests.observe(labels, seconds);
    uncounted = [];
  }

  return {
    registry,
    /** Asked each time that somebody reads the metrics. `name` and `what` are of the things in the queue. */
    watchQueue<State extends string>(name: string, what: string, read: () => Promise<Queues<State>>): void {
      const add = (suffix: string, help: string, field: keyof QueueAge) =>
        new Gauge({
          name: `steno_${name}_${suffix}`,
          help,
          labelNames: ['state'],
          registers,
          async collect() {
            // Silent: without its database the server has no figures of the queue, and /readyz says why.
            const queues = await read().catch(() => undefined);
            this.reset();
            for (const [state, queue] of Object.entries<QueueAge>(queues ?? {}))
              this.set({ state }, queue[field]);
          },
        });
      add('in_queue', `${what} that wait, and that are worked on.`, 'count');
      add(
        'oldest_seconds',
        `How long the first of the ${what.toLowerCase()} has waited, and how long one in work has made no progress.`,
        'oldestSeconds',
      );
    },
    /** Asked each time as well. Without a backup there is no figure, and `absent()` of Prometheus tells. */
    watchBackup(read: () => Promise<{ at: string } | null>): void {
      new Gauge({
        name: 'steno_last_backup_timestamp_seconds',
        help: 'When the last good backup was made.',
        // With no label there would be a 0 before the first backup.
        labelNames: ['kind'],
        registers,
        async collect() {
          const last = await read().catch(() => null);
          this.reset();
          if (last) this.set({ kind: 'full' }, Date.parse(last.at) / 1000);
        },
      });
    },
    observeRequest(method: string, route: string, status: number, seconds: number): void {
      // In batches, because counting one by one took a tenth of the time of a point read.
      if (uncounted.push([{ method, route, status }, seconds]) >= batchRequests) count();
    },
    rateLimited: new Counter({
      name: 'steno_rate_limited_total',
      help: 'Calls refused because a key had used up its minute or its day.',
      registers,
    }),
    failedAuthentications: new Counter({
      name: 'steno_failed_authentications_total',
      help: 'Calls refused because of their credential.',
      registers,
    }),
    databaseWrites: new Histogram({
      name: 'steno_database_write_seconds',
      help: 'Time until a write was on disk, waiting for its turn included.',
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    }),
    faults: new Counter({
      name: 'steno_faults_total',
      help: 'Calls answered with internal_error.',
      registers,
    }),
  };
}
