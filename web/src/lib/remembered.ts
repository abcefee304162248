/** A choice that this browser keeps, also when the person signs out. Null if there is none, or storage is blocked. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Where storage is blocked, a choice holds until the page is closed. */
export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // It is asked for again.
  }
}
