import { randomBytes } from 'node:crypto';

export type FormPart = string | Uint8Array;

/** A multipart body as browsers and curl write it, the parts in the order given. */
export function encodeForm(form: Record<string, FormPart | FormPart[]>): {
  payload: Buffer;
  headers: Record<string, string>;
} {
  const boundary = `----form${randomBytes(8).toString('hex')}`;
  const pieces = Object.entries(form).flatMap(([name, parts]) =>
    [parts].flat().flatMap((part) => {
      const isText = typeof part === 'string';
      const file = isText ? '' : '; filename="recording.bin"\r\nContent-Type: application/octet-stream';
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
      return [Buffer.from(head), isText ? Buffer.from(part) : part, Buffer.from('\r\n')];
    }),
  );
  return {
    payload: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}
