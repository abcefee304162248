import { ensureBuilt } from '../../scripts/ensure-built.js';

/** Vitest's global set-up: builds what is older than its sources, so that no test runs yesterday's server or page. */
export const setup = () => ensureBuilt();
