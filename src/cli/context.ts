import type { Config } from '../config.ts';

/** What every command gets. Settings are read only when needed, so `--help` works even if one is wrong. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  config(): Config;
  /** Prints a line on standard output. */
  print(line: string): void;
}

export type Services = Awaited<ReturnType<typeof import('../compose.ts').composeServices>>;

/** Opens the database, whether or not a server runs, and always closes it. Raises `not_found` if there is none. */
export async function withServices<Result>(
  context: CliContext,
  work: (services: Services) => Promise<Result>,
): Promise<Result> {
  const { composeServices } = await import('../compose.ts');
  const services = await composeServices(context.config(), { create: false });
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}
