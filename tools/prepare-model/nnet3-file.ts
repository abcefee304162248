/** Matrices and vectors of a network that Kaldi wrote, by the name of their component and part: `tdnn1.affine.LinearParams`. */
export interface Nnet3 {
  matrix(name: string): Matrix;
  vector(name: string): Float32Array;
}

export interface Matrix {
  rows: number;
  columns: number;
  /** Row after row. */
  values: Float32Array;
}

/**
 * Reads the binary form of a Kaldi `nnet3` file: tags such as `<LinearParams>`, and after some of them numbers. `FM` is a
 * matrix and `FV` a vector of floats; a single number has its size in bytes before it. Other parts are passed over.
 */
export function readNnet3(bytes: Buffer): Nnet3 {
  const parts = new Map<string, Matrix>();
  let component = '';
  for (let at = 0; at < bytes.length; ) {
    const opens = bytes.indexOf('<', at, 'latin1');
    if (opens < 0) break;
    const closes = bytes.indexOf('> ', opens, 'latin1');
    const tag = bytes.toString('latin1', opens + 1, closes);
    at = opens + 1;
    // A byte of a number may look like a bracket.
    if (closes < 0 || !/^\w{3,40}$/.test(tag)) continue;
    at = closes + 2;
    if (tag === 'ComponentName') component = bytes.toString('latin1', at, bytes.indexOf(' ', at, 'latin1'));
    const found = readMatrix(bytes, at);
    if (found === null) continue;
    parts.set(`${component}.${tag}`, found.matrix);
    at = found.end;
  }
  const matrix = (name: string): Matrix => {
    const found = parts.get(name);
    if (!found) throw new Error(`the network has no ${name}`);
    return found;
  };
  return { matrix, vector: (name) => matrix(name).values };
}

/** A vector in a file of its own, as text: `[ 4.45 4.67 … ]`. */
export const readVector = (text: string): Float32Array =>
  Float32Array.from(text.replace(/[[\]]/g, '').trim().split(/\s+/), Number);

function readMatrix(bytes: Buffer, at: number): { matrix: Matrix; end: number } | null {
  const kind = bytes.toString('latin1', at, at + 3);
  if (kind !== 'FM ' && kind !== 'FV ') return null;
  // Each size stands behind a byte that says how long it is.
  const sizes = (kind === 'FM ' ? [4, 9] : [4]).map((offset) => bytes.readInt32LE(at + offset));
  const [rows, columns] = sizes.length === 2 ? (sizes as [number, number]) : [1, sizes[0] ?? 0];
  const from = at + 3 + 5 * sizes.length;
  const end = from + 4 * rows * columns;
  // A copy, because floats must begin at a multiple of four bytes.
  const values = new Float32Array(new Uint8Array(bytes.subarray(from, end)).buffer);
  return { matrix: { rows, columns, values }, end };
}
