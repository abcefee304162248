import type { Config } from '../config.ts';

/** What a command is given: settings are read only when a command needs them, so `--help` works with broken ones. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  config(): Config;
  /** Standard output, a line. */
  print(line: string): void;
}

export type Services = Awaited<ReturnType<typeof import('../compose.ts').composeServices>>;

/** Opens the database, beside a running server or without one, and closes it whatever happens. */
export async function withServices<Result>(
  context: CliContext,
  work: (services: Services) => Promise<Result>,
): Promise<Result> {
  const { composeServices } = await import('../compose.ts');
  const services = await composeServices(context.config());
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}
