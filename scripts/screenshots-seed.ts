const notes = [
  {
    folder: 'Garden',
    title: 'Watering plan for August',
    content:
      'The garden gets **two long soaks a week** instead of a little every day, so that the roots go down.\n\n## Order\n\n- Tomatoes and beans first, before nine\n- The lemon only when its soil is dry to the second knuckle\n- New hedge: one can per plant, slowly\n\n> Ask Noor whether the barrel behind the shed can be joined to the gutter.\n\nIf it rains more than 10 mm, skip the next one. Gauge readings go into `rain.csv`.',
  },
  {
    folder: 'Work',
    title: 'Interview with Dr Okafor',
    content:
      'Forty minutes, recorded with permission. The part about **consent forms** begins at 12:30 and is the one to quote.\n\n1. Why the clinic changed its opening hours\n2. What patients said about it\n3. What she would do differently',
  },
  {
    folder: 'Work',
    title: 'Stand-up, Tuesday',
    content: 'Import of the old archive is through. Mira looks at the two files that would not decode. Demo moves to Thursday.',
  },
  { folder: null, title: 'Train thoughts', content: 'What if the notes from the garden were read aloud while driving home?' },
  {
    folder: 'Recipes',
    title: 'Lentil soup, as told by Grandma',
    content: 'Two onions, patience, red lentils. Cumin goes in **before** the water. Lemon at the end, never earlier.',
  },
  { folder: null, title: 'Parcel', content: 'Pick-up code 4471, shop closes at 19:00. Bring the passport.' },
  { folder: 'Recipes', title: 'Sourdough log', content: 'Day 6: doubled in five hours at 24 °C. Smells of apples.' },
  {
    folder: null,
    title: 'Books from the radio',
    content: 'A Field Guide to Getting Lost. The Living Mountain. Something about lighthouses, ask again.',
  },
];

/** An account that looks lived in: notes in folders, words, snippets, keys, a workspace and a transcription. */
export async function seed(address: string, key: string) {
  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
  const folders = new Map<string, string>();
  for (const name of ['Garden', 'Work', 'Recipes'])
    folders.set(name, (await call('POST', '/api/v1/folders/create', { name })).data.id);
  let noteId = '';
  for (const { folder, ...note } of notes.toReversed()) {
    const folder_id = folder === null ? null : folders.get(folder);
    noteId = (await call('POST', '/api/v1/notes/create', { ...note, folder_id })).data.id;
  }
  const words = ['Okafor', 'Zürich', 'Kysely', 'quinoa', 'Noor', 'Saoirse'];
  await call('POST', '/api/v1/dictionary/create', { words });
  for (const [trigger, replacement] of [
    ['my address', '12 Orchard Lane, 8001 Zürich'],
    ['sign off', 'Kind regards,\nAda'],
  ])
    await call('POST', '/api/v1/snippets/create', { trigger, replacement });
  return { noteId };
}
