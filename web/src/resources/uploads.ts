import { apiError } from '../api/client.ts';
import { UnreachableError } from '../api/errors.ts';
import { maxRecordingNameLength } from '../api/limits.ts';
import { ofPerson } from '../api/person.ts';
import { noteRateLimit } from '../api/rate-limit.ts';
import type { components } from '../api/schema.d.ts';
import { noteNoAnswer } from '../lib/connection.ts';

type UploadState = components['schemas']['Upload'];

/** The options of a recording. */
export interface Asked {
  language: string;
  prompt: string;
  /** How many people speak; empty if nobody knows. */
  speakers?: string;
}

/** Where the note of a recording goes: into a space, a folder, or both. */
export interface Destination {
  /** The note that it goes into, instead of a new one. */
  noteId?: string;
  spaceId?: string;
  folderId?: string;
  /** The name that people see. */
  name: string;
}

interface NewUpload {
  /** Without one, its first words become its name. */
  name: string | undefined;
  asked: Asked;
  to: Destination | undefined;
  /** Null for a live recording: its size is not known yet, and the server transcribes it while it grows. */
  length: number | null;
}

const uploads = '/api/v1/recordings/uploads';

/** Begins an upload by tus 1.0 (decision 127) whose recording becomes a note. Returns the id of the recording. */
export async function createUpload({ name, asked, to, length }: NewUpload): Promise<string> {
  const about = {
    ...(name === undefined ? {} : { name: name.slice(0, maxRecordingNameLength) }),
    ...given(asked),
    ...placeOf(to),
  };
  const { body } = await call('POST', uploads, {
    'upload-metadata': Object.entries(about)
      .map(([key, value]) => `${key} ${base64(value)}`)
      .join(),
    ...(length === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(length) }),
  });
  // The schema of the server says what the answer holds.
  return (body as { data: { id: string } }).data.id;
}

const placeOf = (to: Destination | undefined) =>
  to?.noteId
    ? { note_id: to.noteId }
    : {
        note: 'true',
        ...(to?.spaceId ? { space_id: to.spaceId } : {}),
        ...(to?.folderId ? { folder_id: to.folderId } : {}),
      };

export const fetchUpload = async (id: string): Promise<UploadState> =>
  // The schema of the server says what the answer holds.
  ((await call('GET', `${uploads}/${id}`)).body as { data: UploadState }).data;

interface Piece {
  /** Where the piece begins. */
  offset: number;
  audio: Blob;
  /** The size of the whole, once it is known. */
  length: number | undefined;
  signal: AbortSignal;
  /** How many bytes of the piece have been sent. */
  onSent(bytes: number): void;
}

/** Returns how many bytes the server has stored. */
export async function appendToUpload(
  id: string,
  { offset, audio, length, signal, onSent }: Piece,
): Promise<number> {
  const about = {
    'upload-offset': String(offset),
    'content-type': 'application/offset+octet-stream',
    ...(length === undefined ? {} : { 'upload-length': String(length) }),
  };
  const { headers } = await call('PATCH', `${uploads}/${id}`, about, { audio, signal, onSent });
  return Number(headers.get('upload-offset'));
}

export const deleteUpload = (id: string) => call('DELETE', `${uploads}/${id}`);

const given = (asked: Asked) =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value.trim() !== ''));

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** Uses XMLHttpRequest, because fetch does not report how much was sent. */
function call(
  method: string,
  url: string,
  about: Record<string, string> = {},
  piece?: Pick<Piece, 'audio' | 'signal' | 'onSent'>,
): Promise<{ headers: Headers; body: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ headers: Headers; body: unknown }>();
  const request = new XMLHttpRequest();
  request.upload.onprogress = ({ loaded }) => piece?.onSent(loaded);
  request.onerror = () => {
    noteNoAnswer();
    reject(new UnreachableError(undefined));
  };
  request.onabort = () => reject(piece?.signal.reason);
  request.onload = () => {
    const headers = headersOf(request);
    noteRateLimit(headers);
    if (request.status < 300) resolve({ headers, body: request.response });
    else reject(apiError({ status: request.status, headers }, request.response ?? undefined));
  };
  piece?.signal.addEventListener('abort', () => request.abort());
  request.open(method, url);
  for (const [name, value] of Object.entries({ 'tus-resumable': '1.0.0', ...ofPerson(), ...about }))
    request.setRequestHeader(name, value);
  request.responseType = 'json';
  request.send(piece?.audio);
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
