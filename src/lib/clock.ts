/** Unix milliseconds. Passed in, so that a test can set the clock to 23:59:59 on the 31st. */
export type Clock = () => number;
