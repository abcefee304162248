import type { Config } from '../config.ts';
import type { BackupFile } from './backup-file.ts';

/** Copies of the whole database. Neither migrates: a backup is what one takes before an upgrade. */
export interface Backups {
  /** Consistent while servers write. Raises `conflict` when the file exists and `force` is not set. */
  backup(target: string, options: { force: boolean }): Promise<BackupFile>;
  /**
   * Puts a backup in the place of the database. Raises `conflict` while a server runs, and when there is data already
   * and `replace` is not set; `validation_error` for a file that is no backup. Answers where the old data is now.
   */
  restore(file: string, options: { replace: boolean; at: Date }): Promise<{ keptAside: string | null }>;
}

export async function openBackups(config: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<Backups> {
  if (config.databaseUrl === '') return (await import('./sqlite-backup.ts')).sqliteBackups(config.dataDir);
  return (await import('./postgres-backup.ts')).postgresBackups(config.databaseUrl);
}
