import manifest from '../../package.json' with { type: 'json' };

/** Of Steno, from package.json: the only place that says it (docs/decisions/0217-releases.md). */
export const { version } = manifest;
