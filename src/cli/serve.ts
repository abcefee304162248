import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { reasonOf } from '../domain/status.ts';
import { createOwner } from '../features/identity/accounts/acts.ts';
import { createSignInLink } from '../features/identity/sessions/sign-in.ts';
import { openSetup } from '../features/operator/setup/queries.ts';
import type { SetupHost } from '../kernel/parts.ts';
import { giveMemoryBack } from '../lib/collect-garbage.ts';
import { codeOf, describeFault } from '../lib/log.ts';
import { addressOf, boundAddress } from './address.ts';
import { type CliContext, command } from './command.ts';
import { explain, Failure, isForPeople } from './errors.ts';
import { listen, listenForMetrics } from './listen.ts';
import { sandboxed, sandboxWelcome } from './sandbox.ts';
import { stopSignal, uncaughtFault, withinDeadline } from './stop.ts';
import { welcome, welcomeLines } from './welcome.ts';

export function serveCommand(program: Command, context: CliContext): void {
  command(program, 'serve', 'start the server ("npm start" does the same)', 'serve --sandbox')
    .option('--sandbox', 'start empty, keep nothing, and give any error on request (docs/sandbox.md)', false)
    .action((options: { sandbox: boolean }) => serve(context, options));
}

async function serve({ config: read, env, print }: CliContext, { sandbox }: { sandbox: boolean }) {
  const config = sandbox ? sandboxed(read()) : read();
  const { lockDataDir } = await import('../platform/database/data-dir-lock.ts');
  const isEmbedded = config.databaseUrl === '';
  const lock = isEmbedded ? lockDataDir(config.dataDir) : undefined;
  // Several servers may share a PostgreSQL, and a file of one would not be the settings of the others.
  const options = { sandbox, environment: isEmbedded && !sandbox ? env : null };
  let running = await start(config, options);
  const stopped = stopSignal({ underNpm: env.npm_lifecycle_event !== undefined });
  const broken = uncaughtFault((fault) =>
    running.steno.log.error({ fault: describeFault(fault) }, 'A fault that nothing caught stops the server'),
  );
  for (;;) {
    await greet(running, { sandbox, print, opensSetup: options.environment !== null });
    const finished = await Promise.race([stopped, running.finished, broken]);
    await running.close();
    if (finished === 'broken')
      throw new Failure(
        'Steno stopped after a fault that nothing caught. The last lines of the log say which.',
      );
    if (!finished) break;
    running = await startAgain(running.config, finished, read, (next, failed) =>
      start(next, { ...options, ...(failed && { failed }) }),
    );
  }
  lock?.release();
}

type Running = Awaited<ReturnType<typeof start>>;
type Finished = Parameters<SetupHost['restart']>[0];
interface Failed {
  userId: string;
  problem: string;
}

/** After set-up, with what was entered. If that does not work, with the settings of before, and set-up is open again. */
export async function startAgain<Server>(
  before: Config,
  { userId, undo }: Finished,
  read: () => Config,
  begin: (config: Config, failed?: Failed) => Promise<Server>,
): Promise<Server> {
  try {
    // The port of before, also if any free one was wanted.
    return await begin({ ...read(), port: before.port });
  } catch (cause) {
    undo();
    explain(cause, console.error);
    const problem = isForPeople(cause) ? reasonOf(cause) : 'The log of the server says why.';
    return begin(before, { userId, problem });
  }
}

interface StartOptions {
  sandbox: boolean;
  /** Null: this server is not set up in the browser. */
  environment: CliContext['env'] | null;
  failed?: Failed;
}

async function start(config: Config, { sandbox, environment, failed }: StartOptions) {
  const { compose } = await import('../compose.ts');
  const { promise: finished, resolve: restart } = Promise.withResolvers<Finished>();
  const setup = environment && { environment, restart, problem: failed?.problem ?? null };
  const writer = sandbox ? (await import('./fake-writer.ts')).fakeWriter : undefined;
  const steno = await compose(config, { sandbox, ...(writer && { writer }), ...(setup && { setup }) });
  // Before the first request, which would wait for it.
  giveMemoryBack();
  try {
    // Before the first request can ask whether set-up is over.
    if (failed) await steno.act((writing) => openSetup(writing, failed.userId));
    await listen(steno.app, config);
  } catch (cause) {
    await steno.close();
    throw explainListenFailure(cause, config);
  }
  const metrics = await listenForMetrics(steno.readMetrics, config.metricsListen, steno.log);
  const [at] = steno.app.addresses();
  return {
    steno,
    config: { ...config, port: typeof at === 'object' ? at.port : config.port },
    bound: boundAddress(at, config),
    address: addressOf(at, config),
    finished,
    async close() {
      metrics?.close();
      await withinDeadline(steno.app.server, () => steno.close());
    },
  };
}

interface Greeting {
  sandbox: boolean;
  opensSetup: boolean;
  print(line: string): void;
}

/** Only once the server listens: the first key is shown once, and a failed start would lose it. */
async function greet({ steno, config, bound, address }: Running, { sandbox, opensSetup, print }: Greeting) {
  const owner = await steno.act(async (writing) => {
    const made = await createOwner(writing, { opensSetup });
    if (!made) return undefined;
    const { id } = made.user;
    return { id, key: made.key, signInPath: (await createSignInLink(writing, id)).path };
  });
  if (sandbox && owner) print(sandboxWelcome(address, owner.key, owner.signInPath));
  else if (process.stdout.isTTY) print(welcome({ bound, address, owner }));
  else print(welcomeLines({ bound, address, owner }, config.dataDir));
}

function explainListenFailure(cause: unknown, { host, port }: Config): unknown {
  switch (codeOf(cause)) {
    case 'EADDRINUSE':
      return new Failure(
        `Port ${port} is taken. Stop the program that uses it, or set STENO_PORT to another.`,
      );
    case 'EACCES':
      return new Failure(`You may not listen on port ${port}. Set STENO_PORT to a number above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Failure(`${host} is not an address of this machine. Correct STENO_HOST, or use 0.0.0.0.`);
    default:
      return cause;
  }
}
