import type { SpeakerEmbedding } from './embed.ts';
import { turnsOf } from './turns.ts';

/**
 * When two embeddings are one person's, as cosines between them (docs/decisions/0146-fewer-people.md): each figure prefers too
 * few people to too many.
 */
const sameGroup = 0.5;
const surelySame = 0.42;
/** Groups are made of what is most unlike, so one person's moods look more apart than they are. */
const sameShare = 0.6;
/** Taken for how alike one person's moments are, when a group has too few of them to tell. */
const usualLikeness = 0.55;
/** A sentence said twice is more alike than that, and tells nothing about who says it. */
const mostLikeness = 0.65;
const leastWithin = 0.1;
/** Windows nearer than this overlap, and so are alike, one speaker or two. */
const apartSeconds = 1.5;
/** Two recordings of 5 s are distinguished with 0 to 3 % errors, of 2.5 s with 2 to 5 %: a shorter one founds no cluster. */
const leastGroupSeconds = 5;
/** Those of 1.5 s; a shorter window says too little to found a group. */
const foundingSeconds = 1.45;
/** A quarter of an hour by one window each 1.5 s. More make no better groups, and the work grows with the square. */
const mostFounders = 600;
const switchPenalty = 0.6;
const switchPenaltyAfterPause = 0.15;
const pauseSeconds = 0.25;
const rounds = 3;
const steadySeconds = 2.2;
const leastSteadyShare = 0.4;

/**
 * For each embedding the number of the person, 0, 1, … in order of appearance. `wanted` is how many there are, if it is
 * known. Voices are in the order of time.
 */
export function clusterSpeakers(embeddings: readonly SpeakerEmbedding[], wanted?: number): number[] {
  let founders = foundersOf(embeddings);
  if (founders.length === 0 || wanted === 1) return embeddings.map(() => 0);
  for (;;) {
    const found = labelsBy(embeddings, groupsOf(founders, wanted));
    if (wanted !== undefined) return inOrderOfAppearance(found);
    const labels = joinAlike(embeddings, found);
    const unsteady = leastSteady(embeddings, labels);
    if (unsteady === null) return inOrderOfAppearance(labels);
    const without = founders.filter((founder) => !unsteady.has(founder));
    if (without.length === 0 || without.length === founders.length) return inOrderOfAppearance(labels);
    founders = without;
  }
}

/** Who speaks when, by groups that are made better by what they find. */
function labelsBy(embeddings: readonly SpeakerEmbedding[], groups: readonly SpeakerEmbedding[][]): number[] {
  let labels = likeliestTurns(embeddings, centresOf(groups));
  for (let round = 1; round < rounds; round++)
    labels = likeliestTurns(embeddings, centresOf(byLabel(embeddings, labels)));
  return labels;
}

/** Once more, when each group has all its moments and not only those that founded it: groups that are alike are one person. */
function joinAlike(embeddings: readonly SpeakerEmbedding[], labels: number[]): number[] {
  const step = sparseStep(embeddings);
  const looked = embeddings.filter((_, i) => i % step === 0);
  const labelOf = (at: number) => labels[at * step] ?? 0;
  const groups = [...Map.groupBy(looked.keys(), labelOf).values()];
  const joined = mergeSplit(groups, likenessOf(looked), looked);
  if (joined.length === groups.length) return labels;
  const people = new Map(joined.flatMap((group, person) => group.map((at) => [labelOf(at), person])));
  const fewer = labels.map((label) => people.get(label) ?? 0);
  return joinAlike(embeddings, labelsBy(embeddings, byLabel(embeddings, fewer)));
}

/** Every third says enough: they overlap. */
const sparseStep = (embeddings: readonly SpeakerEmbedding[]) =>
  Math.max(3, Math.ceil(embeddings.length / mostFounders));

function foundersOf(embeddings: readonly SpeakerEmbedding[]): SpeakerEmbedding[] {
  const long = embeddings.filter(({ start, end }) => end - start >= foundingSeconds);
  const chosen = long.length > 0 ? long : [...embeddings];
  const step = sparseStep(chosen);
  return chosen.length <= step * 2 ? chosen : chosen.filter((_, i) => i % step === 0);
}

interface Groups {
  /** How alike two embeddings are. */
  likeness: Float32Array;
  members: number[][];
}

/** Average linkage, then people who were split are put together again. */
function groupsOf(founders: readonly SpeakerEmbedding[], wanted: number | undefined): SpeakerEmbedding[][] {
  const likeness = likenessOf(founders);
  const linked = link({ likeness, members: founders.map((_, i) => [i]) }, founders.length, wanted);
  const merged = wanted === undefined ? mergeSplit(linked, likeness, founders) : linked;
  return merged.map((group) => group.flatMap((i) => founders[i] ?? []));
}

function likenessOf(embeddings: readonly SpeakerEmbedding[]): Float32Array {
  const likeness = new Float32Array(embeddings.length ** 2);
  for (const [i, a] of embeddings.entries())
    for (let j = 0; j <= i; j++) {
      const value = cosine(a.vector, (embeddings[j] as SpeakerEmbedding).vector);
      likeness[i * embeddings.length + j] = value;
      likeness[j * embeddings.length + i] = value;
    }
  return likeness;
}

/** Joins the two groups that are most alike on average, again and again, until none are alike enough. */
function link({ likeness, members }: Groups, count: number, wanted: number | undefined): number[][] {
  const between = Float32Array.from(likeness);
  const groups: (number[] | null)[] = [...members];
  const nearest = groups.map((_, i) => nearestTo(i, between, groups, count));
  for (let left = count; left > (wanted ?? 1); left--) {
    let best = -1;
    for (let i = 0; i < count; i++)
      if (groups[i] && (best < 0 || (nearest[i]?.value ?? -2) > (nearest[best]?.value ?? -2))) best = i;
    const other = nearest[best]?.at ?? -1;
    const [a, b] = [groups[best], groups[other]];
    if (!a || !b || (wanted === undefined && (nearest[best]?.value ?? -2) < sameGroup)) break;
    for (let k = 0; k < count; k++) {
      const value =
        (a.length * (between[best * count + k] as number) +
          b.length * (between[other * count + k] as number)) /
        (a.length + b.length);
      between[best * count + k] = value;
      between[k * count + best] = value;
    }
    groups[best] = [...a, ...b];
    groups[other] = null;
    for (let k = 0; k < count; k++) {
      const known = nearest[k];
      if (!groups[k] || !known) continue;
      if (k === best || known.at === best || known.at === other)
        nearest[k] = nearestTo(k, between, groups, count);
      else if ((between[k * count + best] as number) > known.value)
        nearest[k] = { at: best, value: between[k * count + best] as number };
    }
  }
  return groups.filter((group) => group !== null);
}

function nearestTo(i: number, between: Float32Array, groups: readonly (number[] | null)[], count: number) {
  let found = { at: -1, value: -2 };
  for (let k = 0; k < count; k++) {
    const value = between[i * count + k] as number;
    if (k !== i && groups[k] && value > found.value) found = { at: k, value };
  }
  return found;
}

/**
 * One person's embedding changes with time and mood: what counts is whether two groups differ more than the more varied of
 * them within itself. The other one may be a few sentences in one mood, which are more alike than the person is.
 */
function mergeSplit(
  groups: readonly number[][],
  likeness: Float32Array,
  founders: readonly SpeakerEmbedding[],
): number[][] {
  const count = founders.length;
  const meanLikeness = (a: readonly number[], b: readonly number[]): number | null => {
    let sum = 0;
    let pairs = 0;
    for (const i of a)
      for (const j of b) {
        if (Math.abs((founders[i]?.start ?? 0) - (founders[j]?.start ?? 0)) < apartSeconds) continue;
        sum += likeness[i * count + j] as number;
        pairs += 1;
      }
    return pairs >= 3 ? sum / pairs : null;
  };
  const within = (group: readonly number[]) =>
    Math.min(mostLikeness, meanLikeness(group, group) ?? usualLikeness);
  const merged = groups.map((group) => [...group]);
  for (;;) {
    let best: { a: number; b: number; share: number } | null = null;
    for (let a = 0; a < merged.length; a++)
      for (let b = 0; b < a; b++) {
        const [first, second] = [merged[a] ?? [], merged[b] ?? []];
        const inter = meanLikeness(first, second) ?? 0;
        const share = inter / Math.max(leastWithin, Math.min(within(first), within(second)));
        const isSame =
          inter >= surelySame || share >= sameShare || isSmall(first, founders) || isSmall(second, founders);
        if (isSame && (best === null || share > best.share)) best = { a, b, share };
      }
    if (best === null) return merged;
    merged[best.b]?.push(...(merged[best.a] ?? []));
    merged.splice(best.a, 1);
  }
}

/** Seconds that the windows of a group cover, overlaps once. */
function secondsOf(embeddings: readonly SpeakerEmbedding[]): number {
  let seconds = 0;
  let until = 0;
  for (const { start, end } of [...embeddings].sort((a, b) => a.start - b.start)) {
    seconds += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return seconds;
}

const isSmall = (group: readonly number[], founders: readonly SpeakerEmbedding[]) =>
  secondsOf(group.flatMap((i) => founders[i] ?? [])) < leastGroupSeconds;

/** Who speaks when, with as few changes of speaker as the voices allow: a change costs as much as some windows of likeness. */
function likeliestTurns(embeddings: readonly SpeakerEmbedding[], centres: readonly Float32Array[]): number[] {
  const people = centres.length;
  const came = new Uint16Array(embeddings.length * people);
  let scores = new Float64Array(people);
  for (const [i, embedding] of embeddings.entries()) {
    const best = scores.indexOf(Math.max(...scores));
    const gap = embedding.start - (embeddings[i - 1]?.end ?? 0);
    const penalty = i === 0 ? 0 : gap > pauseSeconds ? switchPenaltyAfterPause : switchPenalty;
    const next = new Float64Array(people);
    for (const [k, centre] of centres.entries()) {
      const stays = (scores[k] as number) >= (scores[best] as number) - penalty;
      came[i * people + k] = stays ? k : best;
      next[k] =
        (stays ? (scores[k] as number) : (scores[best] as number) - penalty) +
        cosine(embedding.vector, centre);
    }
    scores = next;
  }
  const labels = new Array<number>(embeddings.length).fill(0);
  let label = scores.indexOf(Math.max(...scores));
  for (let i = embeddings.length - 1; i >= 0; i--) {
    labels[i] = label;
    label = came[i * people + label] ?? 0;
  }
  return labels;
}

/**
 * The group that speaks for no more than a moment at a time, the worst of them. A window in which one person takes over
 * from another is like neither of them, so these windows are like each other; and a mood or a noise comes in moments too.
 */
function leastSteady(
  embeddings: readonly SpeakerEmbedding[],
  labels: readonly number[],
): Set<SpeakerEmbedding> | null {
  const lengths = new Map<number, { all: number; steady: number }>();
  for (const { start, end, person } of turnsOf(embeddings, labels)) {
    const { all, steady } = lengths.get(person) ?? { all: 0, steady: 0 };
    const length = end - start;
    lengths.set(person, { all: all + length, steady: steady + (length >= steadySeconds ? length : 0) });
  }
  const shares = [...lengths].map(([label, { all, steady }]) => ({ label, share: steady / all }));
  const worst = shares.sort((a, b) => a.share - b.share)[0];
  if (!worst || shares.length === 1 || worst.share >= leastSteadyShare) return null;
  return new Set(embeddings.filter((_, i) => labels[i] === worst.label));
}

const byLabel = (
  embeddings: readonly SpeakerEmbedding[],
  labels: readonly number[],
): SpeakerEmbedding[][] => [...Map.groupBy(embeddings, (_, i) => labels[i] ?? 0).values()];

const centresOf = (groups: readonly (readonly SpeakerEmbedding[])[]) =>
  groups.map((group) => {
    const sum = new Float32Array(group[0]?.vector.length ?? 0);
    for (const { vector } of group)
      for (let k = 0; k < sum.length; k++) sum[k] = (sum[k] as number) + (vector[k] as number);
    const length = Math.sqrt(cosine(sum, sum));
    return sum.map((value) => value / length);
  });

/** Of vectors of length one. */
function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k] as number) * (b[k] as number);
  return sum;
}

function inOrderOfAppearance(labels: readonly number[]): number[] {
  const order = [...new Set(labels)];
  return labels.map((label) => order.indexOf(label));
}
