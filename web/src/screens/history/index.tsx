import { useParams } from '../../lib/router.tsx';
import { HistoryList } from './history-list.tsx';
import { OneTranscription } from './one-transcription.tsx';

export function Screen() {
  const { id } = useParams();
  return id === undefined ? <HistoryList /> : <OneTranscription id={id} />;
}
