/** The version in package.json when the console was built. */
declare const __STENO_VERSION__: string;

/** The address of Scalar's script; see scalar-script.ts. */
declare module 'virtual:scalar' {
  export const scalarUrl: string;
}
