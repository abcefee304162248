/** The version of the package.json that the page was built from. */
declare const __STENO_VERSION__: string;
