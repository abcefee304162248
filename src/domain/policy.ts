/** What a workspace can turn off for the members it manages. */
export const policies = ['cloud transcription', 'cloud backup'] as const;
export type Policy = (typeof policies)[number];

/** The policy as API and CLI show it. */
export const toSwitches = (blocked: readonly Policy[]) => ({
  block_cloud_transcription: blocked.includes('cloud transcription'),
  block_cloud_backup: blocked.includes('cloud backup'),
});

/** Only the policies that are given. */
export function fromSwitches(given: {
  block_cloud_transcription?: boolean | undefined;
  block_cloud_backup?: boolean | undefined;
}): { [Name in Policy]?: boolean } {
  const { block_cloud_transcription: transcription, block_cloud_backup: backup } = given;
  return {
    ...(transcription === undefined ? {} : { 'cloud transcription': transcription }),
    ...(backup === undefined ? {} : { 'cloud backup': backup }),
  };
}
