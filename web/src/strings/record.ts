/** What every screen has of the recorder; the rest is loaded with it. */
export const recordStrings = {
  record: 'Record',
  recordIn: (place: string) => `Record in ${place}`,
  label: 'Recorder',
  recording: 'Recording',
  stopRecording: 'Stop recording',
  paused: 'Paused',
  drop: 'Drop to transcribe',
  dropTo: (place: string) => `Drop to transcribe in ${place}`,
  dropDetail: 'Several recordings at once, if you like.',
};
