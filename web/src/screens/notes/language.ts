import { later } from '../../ui/later.tsx';

/** What a language model does with a note is loaded on a server that has one. */
export const Enhanced = later(async () => (await import('./enhanced.tsx')).Enhanced);
export const WritingStatus = later(async () => (await import('./writing-status.tsx')).WritingStatus);
export const WriteAbout = later(async () => (await import('./write-about.tsx')).WriteAbout);
export const WriteAboutItems = later(async () => (await import('./write-about-items.tsx')).WriteAboutItems);
