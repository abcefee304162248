import { Fragment } from 'react';
import { commonStrings } from '../../strings/common.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { Button } from '../button.tsx';
import { copyText } from '../copy-button.tsx';
import { Menu, MenuItem, MenuLine } from '../menu.tsx';
import { toast } from '../toast.tsx';

const formats = ['text', 'srt', 'vtt', 'json'] as const;
export type FileFormat = (typeof formats)[number];

interface Props {
  text(): string;
  markdown(): string;
  /** Of each recording, those that can be downloaded. */
  downloads: readonly Download[];
}

export interface Download {
  /** Of several recordings, which one. */
  number: number | undefined;
  /** Left out when the transcription is gone. */
  words: ((format: FileFormat) => void) | undefined;
  /** Left out when there is no audio. */
  sound: (() => void) | undefined;
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
        <MenuItem icon="copy" onSelect={() => copy(markdown())}>
          {texts.copyMarkdown}
        </MenuItem>
      </Menu>
      {downloads.length > 0 && (
        <Menu
          trigger={
            <Button look="quiet" icon="download">
              {texts.download}
            </Button>
          }
        >
          {downloads.map(({ number, words, sound }) => (
            <Fragment key={number}>
              {number !== undefined && number > 1 && <MenuLine />}
              {words &&
                formats.map((format) => (
                  <MenuItem key={format} icon="download" onSelect={() => words(format)}>
                    {texts.ofRecording(texts.downloadAs[format], number)}
                  </MenuItem>
                ))}
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
