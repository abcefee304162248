import { locale } from './locale.ts';

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const coming = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long' });
const fullDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const number = new Intl.NumberFormat(locale);

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const formatDateTime = (iso: string) => dateTime.format(new Date(iso));
/** Times in a sentence of the server, as people read them. */
export const withTimes = (text: string) =>
  text.replace(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, formatDateTime);
export const formatDay = (iso: string) => fullDay.format(new Date(iso));
/** "1 December": a day within the next year. */
export const formatComingDay = (iso: string) => coming.format(new Date(iso));
export const formatNumber = (value: number) => number.format(value);

/** For lists: "14:05" today, "3 May" this year, "3 May 2024" before. */
export function formatShort(iso: string, now = new Date()): string {
  const date = new Date(iso);
  if (date.toDateString() === now.toDateString()) return time.format(date);
  return date.getFullYear() === now.getFullYear() ? dayOfYear.format(date) : fullDay.format(date);
}

/** "5 minutes ago", "in 3 days". */
export function formatRelative(iso: string, now = Date.now()): string {
  const ms = new Date(iso).getTime() - now;
  const distance = Math.abs(ms);
  if (distance < minuteMs) return relative.format(0, 'second');
  if (distance < hourMs) return relative.format(Math.round(ms / minuteMs), 'minute');
  if (distance < dayMs) return relative.format(Math.round(ms / hourMs), 'hour');
  if (distance < 30 * dayMs) return relative.format(Math.round(ms / dayMs), 'day');
  return formatDay(iso);
}

/** "1:05" or "1:02:03". */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${number.format(Math.round(bytes / 1024))} kB`;
  if (bytes < 1e9) return `${number.format(Math.round((bytes / 1024 ** 2) * 10) / 10)} MB`;
  return `${number.format(Math.round(bytes / 1e7) / 100)} GB`;
}
