/** Unix milliseconds. Passed in, so that a test can set the clock to 23:59:59 on the 31st. */
export type Clock = () => number;

/** The time this many milliseconds after another one, or before it if negative, as it is stored. */
export const isoAfter = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
