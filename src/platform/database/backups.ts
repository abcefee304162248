import type { Config } from '../../config.ts';
import type { Backups } from './backup-file.ts';

export async function openBackups(config: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<Backups> {
  if (config.databaseUrl === '') return (await import('./sqlite-backup.ts')).sqliteBackups(config.dataDir);
  return (await import('./postgres-backup.ts')).postgresBackups(config.databaseUrl);
}
