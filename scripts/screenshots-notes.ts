import { createHash } from 'node:crypto';
import { exportFiles, exportFormat } from '../src/domain/export.ts';
import { zipOf } from '../src/lib/zip.ts';

/** What an export of somebody would hold who has used Steno for some weeks. Imports keep the times; new records would all be of today. */
const folders = ['Garden', 'Recipes', 'Work'];

const notes: { title: string; content: string; folder?: string; hoursAgo: number; pinned?: boolean }[] = [
  {
    folder: 'Garden',
    hoursAgo: 9 * 24,
    pinned: true,
    title: 'Watering plan for August',
    content:
      'The garden gets **two long soaks a week** instead of a little every day, so that the roots go down.\n\n## Order\n\n- Tomatoes and beans first, before nine\n- The lemon only when its soil is dry to the second knuckle\n- New hedge: one can per plant, slowly\n\n> Ask Noor whether the barrel behind the shed can be joined to the gutter.\n\nIf it rains more than 10 mm, skip the next one. Gauge readings go into `rain.csv`.',
  },
  {
    folder: 'Work',
    hoursAgo: 1.5,
    title: 'Interview with Dr Okafor',
    content:
      'Forty minutes, recorded with permission. The part about **consent forms** begins at 12:30 and is the one to quote.\n\n1. Why the clinic changed its opening hours\n2. What patients said about it\n3. What she would do differently',
  },
  {
    folder: 'Work',
    hoursAgo: 26,
    title: 'Stand-up, Tuesday',
    content:
      'Import of the old archive is through. Mira looks at the two files that would not decode. Demo moves to Thursday.',
  },
  {
    hoursAgo: 76,
    title: 'Before the trip',
    content: '- [x] Passport\n- [x] Charger for the recorder\n- [ ] Water the lemon\n- [ ] Keys to Noor',
  },
  {
    hoursAgo: 98,
    title: 'Train thoughts',
    content: 'What if the notes from the garden were read aloud while driving home?',
  },
  {
    folder: 'Recipes',
    hoursAgo: 7 * 24 + 5,
    title: 'Lentil soup, as told by Grandma',
    content:
      'Two onions, patience, red lentils. Cumin goes in **before** the water. Lemon at the end, never earlier.',
  },
  {
    hoursAgo: 12 * 24,
    title: 'Parcel',
    content: 'Pick-up code 4471, shop closes at 19:00. Bring the passport.',
  },
  {
    folder: 'Recipes',
    hoursAgo: 31 * 24,
    title: 'Sourdough log',
    content: 'Day 6: doubled in five hours at 24 °C. Smells of apples.',
  },
  {
    hoursAgo: 70 * 24,
    title: 'Books from the radio',
    content: 'A Field Guide to Getting Lost. The Living Mountain. Something about lighthouses, ask again.',
  },
];

/** The note that the pictures open, and how it read before. */
export const openedNote = notes[0] ?? { title: '', content: '' };
export const earlierTexts = [
  'A little water every evening.\n\n- Tomatoes\n- Beans\n- The lemon',
  'The garden gets **two long soaks a week** instead of a little every day.\n\n## Order\n\n- Tomatoes and beans first, before nine\n- The lemon only when its soil is dry',
] as const;

/** Minutes and words of what was said in the last weeks, by days ago. */
const spoken = [
  [2, 11, 1530],
  [3, 4, 560],
  [6, 18, 2410],
  [9, 6.5, 905],
  [10, 2, 240],
  [13, 24, 3320],
  [17, 9, 1240],
  [20, 3.5, 470],
  [24, 14, 1890],
  [27, 7, 960],
] as const;

const said = [
  'We start with the harbour as it was before the bridge, and with the people who worked there. My grandfather kept the light, and every evening he wrote down the weather, the ships and who had come ashore.',
  'Three things for Thursday: the two files that would not decode, the room for the demo, and who tells the clinic.',
  'The opening hours changed because people came before work or not at all. Nobody had asked them until then.',
  'A list while walking: string, the long ladder, somebody to hold it, and the number of the man with the van.',
];

const hourMs = 3_600_000;
const timeOf = (hoursAgo: number) => new Date(Date.now() - hoursAgo * hourMs).toISOString();
/** Of the note or the folder of this name. */
const idOf = (text: string) => {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

export async function exportOfSomebody(userId: string): Promise<Buffer> {
  const records = {
    [exportFiles.manifest]: [exportFormat],
    [exportFiles.folders]: folders.map((name, sort_order) => ({
      id: idOf(name),
      name,
      sort_order,
      created_at: timeOf(2000),
      updated_at: timeOf(2000),
    })),
    [exportFiles.notes]: notes.map(({ folder, hoursAgo, ...note }) => ({
      ...note,
      id: idOf(note.title),
      user_id: userId,
      client_note_id: note.title,
      enhanced_content: null,
      note_type: 'personal',
      folder_id: folder ? idOf(folder) : null,
      participants: null,
      calendar_event_id: null,
      created_at: timeOf(hoursAgo),
      updated_at: timeOf(hoursAgo),
    })),
    [exportFiles.transcriptions]: spoken.map(([daysAgo, minutes, words], at) => ({
      id: idOf(`spoken ${daysAgo}`),
      user_id: userId,
      status: 'completed',
      text: said[at % said.length] ?? '',
      word_count: words,
      source: 'api',
      provider: 'embedded',
      model: 'whisper-base.en',
      language: 'en',
      audio_duration_ms: minutes * 60_000,
      processing_ms: 9_000,
      created_at: timeOf(daysAgo * 24),
    })),
  };
  async function* entries() {
    for (const [path, lines] of Object.entries(records))
      yield { path, chunks: [lines.map((line) => JSON.stringify(line)).join('\n')] };
  }
  return Buffer.concat(await zipOf(entries()).toArray());
}
