import { keptInBrowser, keptTails } from '../../lib/browser-storage.ts';
import { excerptOf } from '../../lib/excerpt.ts';
import { randomId } from '../../lib/random-id.ts';
import { readJournal } from '../../notes/journal.ts';
import { keptUploads } from '../../recorder/kept-uploads.ts';

/** What only this browser has of a person, by its names. */
export interface Unsent {
  notes: string[];
  recordings: string[];
}

const maxNameLength = 40;

export async function unsentOf(userId: string): Promise<Unsent> {
  const entries = await readJournal({ kept: keptInBrowser, tails: keptTails }, userId, randomId);
  const texts = new Map(entries.map(({ doc }) => [doc.id ?? doc.key, doc.mine]));
  const uploads = await keptUploads(userId);
  return {
    notes: [...texts.values()].map(
      ({ title, content }) => title || excerptOf(content.slice(0, maxNameLength)),
    ),
    recordings: uploads.filter(({ isSent, isDiscarded }) => !isSent && !isDiscarded).map(({ name }) => name),
  };
}
