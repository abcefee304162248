import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  id: string;
  impact: string | null;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

/** What axe calls serious or critical on the page as it is now, in light and in dark, one line each; [] is what we want. */
export async function seriousProblems(page: Page): Promise<string[]> {
  // By the debugger and not as a <script>, which the page's policy would refuse.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const problems = await run(page);
  const isDark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
  await page.emulateMedia({ colorScheme: isDark ? 'light' : 'dark' });
  // Colours are all that differs.
  problems.push(...(await run(page, { runOnly: 'color-contrast' })));
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
  return problems;
}

async function run(page: Page, options = {}): Promise<string[]> {
  // Colours fade from one theme to the other, and back.
  await page.evaluate(`Promise.allSettled(document.getAnimations().map((change) =>
    change instanceof CSSTransition && change.finished))`);
  const wanted = { resultTypes: ['violations'], ...options };
  const violations = (await page.evaluate(
    `axe.run(${JSON.stringify(wanted)}).then(({ violations }) => violations)`,
  )) as Violation[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
}
