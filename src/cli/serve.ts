import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { giveMemoryBack } from '../lib/collect-garbage.ts';
import { addressOf, boundAddress } from './address.ts';
import type { CliContext } from './context.ts';
import { Failure } from './errors.ts';
import { example } from './help.ts';
import { listen, listenForMetrics } from './listen.ts';
import { sandboxed, sandboxWelcome } from './sandbox.ts';
import { stopSignal, withinDeadline } from './stop.ts';
import { welcome, welcomeLines } from './welcome.ts';

export function serveCommand(program: Command, context: CliContext): void {
  program
    .command('serve')
    .description('start the server ("npm start" does the same)')
    .option('--sandbox', 'start empty, keep nothing, and give any error on request (docs/sandbox.md)', false)
    .addHelpText('after', example('serve --sandbox'))
    .action((options: { sandbox: boolean }) => serve(context, options));
}

async function serve({ config: readConfig, env, print }: CliContext, { sandbox }: { sandbox: boolean }) {
  const config = sandbox ? await sandboxed(readConfig()) : readConfig();
  const [{ compose }, { lockDataDir }] = await Promise.all([
    import('../compose.ts'),
    import('../store/data-dir-lock.ts'),
  ]);
  const lock = config.databaseUrl === '' ? lockDataDir(config.dataDir) : undefined;
  const steno = await compose(config, { sandbox });
  // Before anybody could have to wait for it.
  giveMemoryBack();
  try {
    await listen(steno.app, config);
  } catch (cause) {
    await steno.close();
    throw explainListenFailure(cause, config);
  }
  const stopped = stopSignal({ underNpm: env.npm_lifecycle_event !== undefined });
  const metrics = await listenForMetrics(steno.readMetrics, config.metricsListen, steno.log);
  // Only once the server listens: the key is shown once, and a failed start would lose it.
  const created = await steno.users.createOwner();
  const [at] = steno.app.addresses();
  const [bound, address] = [boundAddress(at, config), addressOf(at, config)];
  const owner = created && {
    id: created.user.id,
    key: created.key,
    signInPath: (await steno.sessions.createSignInLink(created.user.id)).path,
  };
  if (sandbox && owner) print(sandboxWelcome(address, owner.key, owner.signInPath));
  else if (process.stdout.isTTY) print(welcome({ bound, address, owner }));
  else print(welcomeLines({ bound, address, owner }, config.dataDir));
  await stopped;
  metrics?.close();
  await withinDeadline(steno.app.server, () => steno.close());
  lock?.release();
}

function explainListenFailure(cause: unknown, { host, port }: Config): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  switch (code) {
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
