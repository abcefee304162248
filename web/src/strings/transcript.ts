/** Any transcript, also one whose audio was not kept. */
export const transcriptStrings = {
  playFrom: (time: string) => `Play from ${time}`,
  silence: { title: 'We didn’t hear any speech', detail: 'The file is fine, but nobody speaks in it.' },
  words: (count: string) => (count === '1' ? '1 word' : `${count} words`),
  took: (seconds: string) => `transcribed in ${seconds} s`,
  copyText: 'Copy text',
  download: 'Download',
  downloadAs: { text: 'Text', srt: 'Subtitles (SRT)', vtt: 'Subtitles (WebVTT)', json: 'JSON' },
  /** Of several recordings: "Subtitles (SRT), 2". */
  ofRecording: (what: string, number: number | undefined) => (number ? `${what}, ${number}` : what),
  saveNote: 'Save as note',
  noteTitle: 'Title',
  noteFolder: 'Folder',
  noFolder: 'No folder',
  noteSaved: 'Saved as a note',
  openNote: 'Open note',
};
