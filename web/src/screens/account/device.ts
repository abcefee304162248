import { strings } from '../../strings.ts';

const words = strings.account;

// Order matters: every browser claims to be the ones before it in history.
const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** "Firefox on Windows", or the first word of what the program calls itself. */
export function nameDevice(userAgent: string | null): string {
  if (!userAgent) return words.unknownDevice;
  const find = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find(browsers);
  const system = find(systems);
  if (browser && system) return words.device(browser, system);
  return browser ?? userAgent.split(/[/ ]/)[0] ?? words.unknownDevice;
}
