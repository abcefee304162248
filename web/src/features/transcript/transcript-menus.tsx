import { Fragment } from 'react';
import type { FileFormat } from '../../resources/transcriptions.ts';
import { commonStrings } from '../../strings/common.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { DownloadItems } from './download-items.tsx';

interface Props {
  text(): string;
  /** Left out for text without times. */
  markdown: (() => string) | null;
  /** Of each recording, those that can be downloaded. */
  downloads: readonly Download[];
}

export interface Download {
  /** Of several recordings, which one. */
  number?: number | undefined;
  /** Subtitles need segments with times. */
  isTimed?: boolean;
  /** Left out when the transcription is gone. */
  words: ((format: FileFormat) => void) | undefined;
  /** Left out when there is no audio. */
  sound?: (() => void) | undefined;
}

/** Copy and download. */
export function TranscriptMenus({ text, markdown, downloads }: Props) {
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
        {markdown && (
          <MenuItem icon="copy" onSelect={() => copy(markdown())}>
            {texts.copyMarkdown}
          </MenuItem>
        )}
      </Menu>
      {downloads.length > 0 && (
        <Menu
          trigger={
            <Button look="quiet" icon="download">
              {texts.download}
            </Button>
          }
        >
          {downloads.map(({ number, isTimed = true, words, sound }) => (
            <Fragment key={number}>
              {number !== undefined && number > 1 && <MenuLine />}
              {words && <DownloadItems number={number} isTimed={isTimed} onChoose={words} />}
              {sound && (
                <MenuItem icon="wave" onSelect={sound}>
                  {texts.ofRecording(texts.downloadSound, number)}
                </MenuItem>
              )}
            </Fragment>
          ))}
        </Menu>
      )}
    </>
  );
}
