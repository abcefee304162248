/** The row of `installation` that tells when and where the last backup was made. */
export const lastBackupName = 'last_backup';

export interface LastBackup {
  at: string;
  place: string;
}

export const readLastBackup = (value: string | undefined): LastBackup | null =>
  value === undefined ? null : JSON.parse(value);
