import { lazy } from 'react';

/** What a language model does with a note is loaded on a server that has one. */
export const Enhanced = lazy(async () => ({ default: (await import('./enhanced.tsx')).Enhanced }));
export const WritingStatus = lazy(async () => ({
  default: (await import('./writing-status.tsx')).WritingStatus,
}));
export const WriteAbout = lazy(async () => ({ default: (await import('./write-about.tsx')).WriteAbout }));
export const WriteAboutItems = lazy(async () => ({
  default: (await import('./write-about-items.tsx')).WriteAboutItems,
}));
