/** The version in package.json when the console was built. */
declare const __STENO_VERSION__: string;
