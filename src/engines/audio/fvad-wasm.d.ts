declare module '@echogarden/fvad-wasm' {
  /** The package carries no types; the functions are libfvad's. */
  interface Fvad {
    HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _fvad_new(): number;
    _fvad_free(handle: number): void;
    _fvad_set_mode(handle: number, mode: number): number;
    _fvad_set_sample_rate(handle: number, rate: number): number;
    _fvad_process(handle: number, pointer: number, samples: number): number;
  }
  // biome-ignore lint/style/noDefaultExport: it is how the package exports it.
  export default function loadFvad(): Promise<Fvad>;
}
