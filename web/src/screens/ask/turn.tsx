import { withoutMarks } from '../../lib/excerpt.ts';
import { formatDuration } from '../../lib/format.ts';
import { noteHref } from '../../lib/note-links.ts';
import { Link } from '../../lib/router.tsx';
import type { Citation, Turn } from '../../resources/conversations.ts';
import { askStrings as texts } from '../../strings/ask.ts';
import { Icon } from '../../ui/icon.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import styles from './ask.module.css';
import type { Current } from './use-asking.ts';

/** A question and its answer. Each mark of the answer opens the note where it stands. */
export function Answered({ turn, spaceId }: { turn: Turn; spaceId: string | undefined }) {
  const { question, found, answer, citations } = turn;
  const hrefOf = ({ note_id, seconds }: Citation) => noteHref(note_id, { spaceId }, seconds ?? undefined);
  return (
    <article className={styles.turn}>
      <h2 dir="auto">{question}</h2>
      {found ? (
        <p className={styles.answer} dir="auto">
          <Cited answer={answer} citations={citations} hrefOf={hrefOf} />
        </p>
      ) : (
        <p className={styles.notFound}>
          <Icon name="search" />
          <strong>{texts.notFound}</strong>
          {answer}
        </p>
      )}
      {citations.length > 0 && (
        <ul className={styles.citations} aria-label={texts.citations}>
          {citations.map((citation) => (
            <li key={citation.number}>
              <Link to={hrefOf(citation)}>
                <span className={styles.number}>{citation.number}</span>
                <strong className="truncate" dir="auto">
                  {citation.title || texts.untitled}
                </strong>
                {citation.seconds !== null && (
                  <span className={styles.when}>
                    <Icon name="wave" size={16} />
                    {formatDuration(Math.floor(citation.seconds) * 1000)}
                  </span>
                )}
                <q dir="auto">{withoutMarks(citation.quote)}</q>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

interface CitedProps {
  answer: string;
  citations: readonly Citation[];
  hrefOf(citation: Citation): string;
}

const Cited = ({ answer, citations, hrefOf }: CitedProps) =>
  answer.split(/\s*\[(\d{1,2})\]/).map((part, at) => {
    // Every second part is the number of a mark.
    const citation = at % 2 === 1 && citations.find(({ number }) => number === Number(part));
    return citation ? (
      <Link
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts do not move
        key={at}
        className={styles.mark}
        to={hrefOf(citation)}
        aria-label={texts.citation(citation.number, citation.title || texts.untitled)}
      >
        {part}
      </Link>
    ) : (
      at % 2 === 0 && part
    );
  });

/** While it is written. Its marks are checked at the end. */
export const Coming = ({ question, text }: Current) => (
  <article className={styles.turn} aria-busy>
    <h2 dir="auto">{question}</h2>
    {text === '' ? (
      <p className={styles.notFound} role="status">
        <Spinner size={16} />
        {texts.looking}
      </p>
    ) : (
      <p className={styles.answer} dir="auto">
        {text}
      </p>
    )}
  </article>
);
