/** How much a term tells that stands in `having` of `notes` notes: the inverse document frequency of BM25. */
export const rarity = (notes: number, having: number) =>
  Math.log(1 + (notes - having + 0.5) / (having + 0.5));
