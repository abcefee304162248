/** The parts one after another; together they have `length` samples. */
function join(parts: readonly Float32Array[], length: number): Float32Array {
  const whole = new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Joins small parts, such as packets of 20 ms, to pieces of at least so many samples; only the last may be shorter. */
export async function* inPieces(
  parts: AsyncIterable<Float32Array>,
  least: number,
): AsyncGenerator<Float32Array> {
  let small: Float32Array[] = [];
  let length = 0;
  for await (const part of parts) {
    small.push(part);
    length += part.length;
    if (length < least) continue;
    yield join(small, length);
    [small, length] = [[], 0];
  }
  if (length > 0) yield join(small, length);
}

/** Without the first so many samples. */
export async function* withoutFirst(
  samples: number,
  pieces: AsyncIterable<Float32Array>,
): AsyncGenerator<Float32Array> {
  let left = samples;
  for await (const piece of pieces) {
    const kept = piece.subarray(Math.min(left, piece.length));
    left -= piece.length - kept.length;
    if (kept.length > 0) yield kept;
  }
}

/** Without the last so many samples. */
export async function* withoutLast(
  samples: number,
  pieces: AsyncIterable<Float32Array>,
): AsyncGenerator<Float32Array> {
  let held: Float32Array = new Float32Array();
  for await (const piece of pieces) {
    const both = join([held, piece], held.length + piece.length);
    const known = Math.max(0, both.length - samples);
    if (known > 0) yield both.subarray(0, known);
    held = both.slice(known);
  }
}
