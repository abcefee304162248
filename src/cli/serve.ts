import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { addressOf } from './address.ts';
import type { CliContext } from './context.ts';
import { Failure } from './errors.ts';
import { example } from './help.ts';
import { listen } from './listen.ts';
import { sandboxed, sandboxWelcome } from './sandbox.ts';
import { stopSignal, withinDeadline } from './stop.ts';

interface Owner {
  user: { id: string };
  key: string;
}

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
  try {
    await listen(steno.app, config);
  } catch (cause) {
    await steno.close();
    throw explainListenFailure(cause, config);
  }
  const stopped = stopSignal({ underNpm: env.npm_lifecycle_event !== undefined });
  // Only once the server listens: the key is shown once, and a failed start would lose it.
  const owner = await steno.users.createOwner();
  const address = addressOf(steno.app.addresses()[0], config);
  if (owner === undefined) print(welcomeBack(address));
  else {
    const { path } = await steno.sessions.createSignInLink(owner.user.id);
    print(sandbox ? sandboxWelcome(address, owner.key, path) : welcome(address, owner, path));
  }
  await stopped;
  await withinDeadline(steno.app.server, () => steno.close());
  lock?.release();
}

const welcome = (address: string, { user, key }: Owner, signInPath: string) => `
Steno listens on ${address}

Your key (it will not be shown again):

  ${key}

Write your first note:

  curl ${address}/api/v1/notes/create \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '{"title": "Hello", "content": "My first note"}'

Sign in to the console (this link works once, for 15 minutes):

  ${address}${signInPath}

For another link: npm run steno -- users sign-in-link ${user.id}
All calls are described at ${address}/docs
`;

const welcomeBack = (address: string) => `
Steno listens on ${address}
All calls are described at ${address}/docs
For another key: npm run steno -- keys create --name "My laptop"
`;

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
