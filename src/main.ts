import { runCli } from './cli/index.ts';

// Only this user can read the files that Steno creates: the database, its log, backups.
process.umask(0o077);
// `steno users list | head -1` closes the pipe early. That is not an error.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  process.exit(cause.code === 'EPIPE' ? 0 : 1);
});
process.exitCode = await runCli(process.argv.slice(2), process.env);
