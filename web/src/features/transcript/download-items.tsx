import type { FileFormat } from '../../resources/transcriptions.ts';
import { transcriptStrings as texts } from '../../strings/transcript.ts';
import { MenuItem } from '../../ui/menu.tsx';

const formats = ['text', 'srt', 'vtt', 'json'] as const;

interface Props {
  /** Of several recordings, which one. */
  number?: number | undefined;
  /** Subtitles need segments with times. */
  isTimed?: boolean;
  onChoose(format: FileFormat): void;
}

/** One menu item per format. */
export const DownloadItems = ({ number, isTimed = true, onChoose }: Props) =>
  formats.map((format) => (
    <MenuItem
      key={format}
      icon="download"
      disabled={!isTimed && (format === 'srt' || format === 'vtt')}
      onSelect={() => onChoose(format)}
    >
      {texts.ofRecording(texts.downloadAs[format], number)}
    </MenuItem>
  ));
