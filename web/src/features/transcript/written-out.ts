import { formatDuration } from '../../lib/format.ts';
import type { Paragraph, Spoken } from './spoken.ts';

const textOf = ({ sentences }: Paragraph) => sentences.map(({ text }) => text).join(' ');

/** Names the speaker at each change. */
export const toText = ({ paragraphs, isNamed }: Spoken) =>
  paragraphs
    .map((paragraph, at) => {
      const isNew = isNamed && paragraph.speaker !== paragraphs[at - 1]?.speaker;
      return `${isNew && paragraph.speaker ? `${paragraph.speaker}: ` : ''}${textOf(paragraph)}`;
    })
    .join('\n\n');

export const toMarkdown = (title: string, { paragraphs, isNamed }: Spoken) =>
  [
    `# ${title}`,
    ...paragraphs.map((paragraph) => {
      const time = formatDuration(Math.floor(paragraph.start) * 1000);
      const who = isNamed && paragraph.speaker ? `**${paragraph.speaker}** · ` : '';
      return `${who}${time}\n\n${textOf(paragraph)}`;
    }),
    '',
  ].join('\n\n');
