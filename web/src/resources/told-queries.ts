/** Whether the stream of changes tells when the answer to a query with this key is out of date. */
export const isTold = ([first, second]: readonly unknown[]) =>
  first === 'notes'
    ? second === 'list' || second === 'one'
    : ['folders', 'tags', 'dictionary', 'snippets'].includes(String(first));
