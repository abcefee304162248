import { deleteRecording, type Recording, refreshRecordings } from '../../resources/recordings.ts';
import { deleteTranscription } from '../../resources/transcriptions.ts';
import { historyStrings as texts } from '../../strings/history.ts';
import type { Question } from '../../ui/use-confirm.tsx';

export const transcriptionDeletion = (id: string): Question => ({
  title: texts.deleteTitle,
  description: texts.deleteDetail,
  action: texts.delete,
  run: () => deleteTranscription(id),
  done: texts.transcriptionDeleted,
});

export const recordingDeletion = ({ id, name }: Recording): Question => ({
  title: texts.deleteRecordingTitle,
  description: texts.deleteRecordingDetail,
  action: texts.delete,
  async run() {
    // Its transcription goes too, or it would come back as a line without audio.
    await deleteRecording(id, true);
    void refreshRecordings();
  },
  done: texts.deleted(name),
});
