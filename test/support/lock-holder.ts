import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * A process of its own that opens `file`, runs `sql` and keeps what that locked until it is told to let go or killed.
 * Resolves once the lock is held.
 */
export async function holdLock(file: string, sql: string) {
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    const connection = new DatabaseSync(${JSON.stringify(file)});
    connection.exec(${JSON.stringify(sql)});
    console.log('held');
    process.stdin.once('data', () => { connection.exec('commit'); connection.close(); process.exit(); });`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  if (line !== 'held') throw new Error(`The lock holder said ${line}`);
  return {
    async release() {
      child.stdin.write('\n');
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
