import { commonStrings } from '../../strings/common.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { Button } from '../button.tsx';
import { copyText } from '../copy-button.tsx';
import { Menu, MenuItem } from '../menu.tsx';
import { toast } from '../toast.tsx';

const formats = ['text', 'srt', 'vtt', 'json'] as const;
export type FileFormat = (typeof formats)[number];

interface Props {
  text(): string;
  markdown(): string;
  /** Left out when the transcription is gone. */
  onDownload: ((format: FileFormat) => void) | undefined;
  /** Left out when there is no audio. */
  onDownloadSound: (() => void) | undefined;
}

/** Copy and download. */
export function TranscriptMenus({ text, markdown, onDownload, onDownloadSound }: Props) {
  async function copy(what: string) {
    if (await copyText(what)) toast({ title: commonStrings.copied });
  }
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" icon="copy">
            {texts.copy}
          </Button>
        }
      >
        <MenuItem icon="copy" onSelect={() => copy(text())}>
          {texts.copyText}
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => copy(markdown())}>
          {texts.copyMarkdown}
        </MenuItem>
      </Menu>
      {(onDownload || onDownloadSound) && (
        <Menu
          trigger={
            <Button look="quiet" icon="download">
              {texts.download}
            </Button>
          }
        >
          {onDownload &&
            formats.map((format) => (
              <MenuItem key={format} icon="download" onSelect={() => onDownload(format)}>
                {texts.downloadAs[format]}
              </MenuItem>
            ))}
          {onDownloadSound && (
            <MenuItem icon="wave" onSelect={onDownloadSound}>
              {texts.downloadSound}
            </MenuItem>
          )}
        </Menu>
      )}
    </>
  );
}
