import { type FuzzReport, fuzz } from './fuzz.ts';
import { useExport } from './requests.ts';
import { startFuzzedServer } from './server.ts';
import { useIds } from './values.ts';

/** No turn of the server's event loop may take longer than this, in processor time. */
const longestTurnMs = 250;
/** Held by JavaScript at the end, compared with what it held after the first requests. */
const mostGrowthBytes = 50_000_000;
const warmUpRequests = 400;

export interface CampaignReport extends FuzzReport {
  longestTurnMs: number;
  grownBytes: number;
}

/** Attacks a server of its own, and looks at what the requests did to it and to another account. */
export async function attack(options: {
  seed: number;
  seconds: number;
  requests?: number;
  audioShare?: number;
}): Promise<CampaignReport> {
  const server = await startFuzzedServer();
  try {
    const { origin, credentials, marker: foreign } = server;
    useIds(server.ids);
    useExport(server.exported);
    const before = await server.othersData();
    // The first requests load and compile code, and fill caches.
    const warmUp = {
      origin,
      credentials,
      foreign,
      seconds: 60,
      requests: warmUpRequests,
      seed: options.seed + 1,
    };
    const { faults } = await fuzz(warmUp);
    const start = await server.watch();
    const report = await fuzz({ origin, credentials, foreign, audioShare: 0.03, ...options });
    const end = await server.watch();
    const grownBytes = end.heldBytes - start.heldBytes;
    const blockedMs = end.longestTurnMs;
    report.faults.unshift(...faults);
    if (blockedMs > longestTurnMs) report.faults.push(`a turn of the event loop took ${blockedMs} ms`);
    if (grownBytes > mostGrowthBytes) report.faults.push(`the memory grew by ${grownBytes} bytes`);
    if ((await server.othersData()) !== before) report.faults.push('data of another account was changed');
    return { ...report, longestTurnMs: blockedMs, grownBytes };
  } finally {
    await server.stop();
  }
}
