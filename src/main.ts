import { runCli } from './cli/index.ts';

// The database, its log, backups: whatever is created is for this user alone.
process.umask(0o077);
// `steno users list | head -1` closes the pipe early; that is no fault.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  process.exit(cause.code === 'EPIPE' ? 0 : 1);
});
process.exitCode = await runCli(process.argv.slice(2), process.env);
