interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

/** Every item of a list, read page by page. */
export async function readAllPages<Item>(readPage: (cursor: string) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page<Item> = await readPage(cursor);
    items.push(...page.data);
    cursor = page.next_cursor;
  }
  return items;
}
