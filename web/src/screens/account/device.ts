import { accountStrings as texts } from '../../strings/account.ts';

// Order matters: browsers also name the ones they want to be compatible with.
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

/** "Firefox on Windows", or the first word of an unknown user agent. */
export function nameDevice(userAgent: string | null): string {
  if (!userAgent) return texts.unknownDevice;
  const find = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find(browsers);
  const system = find(systems);
  if (browser && system) return texts.device(browser, system);
  return browser ?? userAgent.split(/[/ ]/)[0] ?? texts.unknownDevice;
}
