export interface InstallationStore {
  /** The value with this name. If there is none, stores `fallback`. The same on every replica. */
  valueOf(name: string, fallback: string): Promise<string>;
  read(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
}
