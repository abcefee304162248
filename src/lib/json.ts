/** What the text says as JSON; undefined if it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const toBase64Json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
export const fromBase64Json = (text: string) => jsonIn(Buffer.from(text, 'base64url').toString('utf8'));
