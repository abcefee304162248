import { apiError } from '../api/client.ts';
import { UnreachableError } from '../api/errors.ts';
import { noteRateLimit } from '../api/rate-limit.ts';
import type { components } from '../api/schema.d.ts';

export type TranscribeResult = components['schemas']['TranscribeResult'];

export interface Asked {
  language: string;
  prompt: string;
}

interface Upload {
  /** Sent again with the same id, the recording is transcribed and charged once. */
  id: string;
  file: Blob;
  name: string;
  asked: Asked;
  signal: AbortSignal;
  /** The share of the file that was uploaded, from 0 to 1. */
  onSent(share: number): void;
}

/** Uses XMLHttpRequest, because fetch does not report upload progress. */
export function transcribe({ id, file, name, asked, signal, onSent }: Upload): Promise<TranscribeResult> {
  const form = new FormData();
  // Before the file, so that the server has them when the audio arrives.
  if (asked.language) form.append('language', asked.language);
  if (asked.prompt) form.append('prompt', asked.prompt);
  form.append('file', file, name);

  const { promise, resolve, reject } = Promise.withResolvers<TranscribeResult>();
  const request = new XMLHttpRequest();
  request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
  request.upload.onload = () => onSent(1);
  request.onerror = () => reject(new UnreachableError(undefined));
  request.onabort = () => reject(signal.reason);
  request.onload = () => {
    const headers = headersOf(request);
    noteRateLimit(headers);
    if (request.status === 200) resolve(request.response.data);
    else reject(apiError({ status: request.status, headers }, request.response ?? undefined));
  };
  signal.addEventListener('abort', () => request.abort());
  request.open('POST', '/api/v1/transcribe');
  request.setRequestHeader('Idempotency-Key', id);
  request.responseType = 'json';
  request.send(form);
  return promise;
}

const headersOf = (request: XMLHttpRequest) =>
  new Headers(
    request
      .getAllResponseHeaders()
      .trim()
      .split('\r\n')
      .map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      })
      .filter(([name]) => name !== ''),
  );
