import { formatDuration } from '../../lib/format.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu, MenuChoice, MenuItem, MenuLine } from '../../ui/menu.tsx';
import type { Corrections } from './corrections.ts';
import type { Paragraph } from './spoken.ts';

interface Props {
  paragraph: Paragraph;
  name: string;
  speakers: readonly string[];
  corrections: Corrections;
}

const newSpeaker = '';

/** Gives a paragraph to another speaker, to a new one, or makes two speakers one. */
export function WhoSays({ paragraph, name, speakers, corrections }: Props) {
  const others = speakers.filter((speaker) => speaker !== name);
  return (
    <Menu
      trigger={
        <IconButton icon="down" label={texts.whoSays(formatDuration(Math.floor(paragraph.start) * 1000))} />
      }
    >
      <MenuChoice
        label={texts.saidBy}
        value={name}
        onChange={(speaker) =>
          corrections.assign(paragraph, speaker === newSpeaker ? unusedName(speakers) : speaker)
        }
        choices={[
          ...speakers.map((speaker) => ({ value: speaker, label: speaker, icon: 'person' as const })),
          { value: newSpeaker, label: texts.anotherSpeaker, icon: 'plus' as const },
        ]}
      />
      {others.length > 0 && <MenuLine />}
      {others.map((other) => (
        <MenuItem key={other} icon="team" onSelect={() => corrections.rename(name, other)}>
          {texts.mergeSpeakers(name, other)}
        </MenuItem>
      ))}
    </Menu>
  );
}

function unusedName(speakers: readonly string[]): string {
  let number = speakers.length + 1;
  while (speakers.includes(`Speaker ${number}`)) number += 1;
  return `Speaker ${number}`;
}
