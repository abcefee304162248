import { Fragment, type KeyboardEvent, type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { after } from '../../lib/after.ts';
import { formatDuration } from '../../lib/format.ts';
import { keyOf } from '../../lib/key-of.ts';
import type { Playback } from '../../lib/playback.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { EmptyState } from '../../ui/states.tsx';
import { playByKey } from '../voice/keys.ts';
import type { Corrections } from './corrections.ts';
import { EditedSentence } from './edited-sentence.tsx';
import { FindInSaid } from './find-in-said.tsx';
import { Said } from './said.tsx';
import { Speaker } from './speaker.tsx';
import type { Paragraph, Sentence, Spoken } from './spoken.ts';
import styles from './transcript.module.css';
import { useMarkedWord, wordAttribute } from './use-marked-word.ts';
import { type Moment, useShownMoment } from './use-moment.ts';
import { useParagraphs } from './use-paragraphs.ts';
import { WhoSays } from './who-says.tsx';

interface Props {
  spoken: Spoken;
  /** Undefined when there is no audio. */
  playback?: Playback | undefined;
  /** Undefined for those who may only read it. */
  corrections?: Corrections | undefined;
  /** A click corrects a word instead of playing it. */
  isCorrecting?: boolean;
  /** Where to begin. */
  moment?: Moment | undefined;
  /** Renders a word, with the matches of a search. */
  mark?(text: string): ReactNode;
}

/** The sentence being corrected, and those being saved, by their ids. */
type Edits = ReadonlyMap<number, { text: string; word: number; isSaving: boolean }>;

const asSaid = (text: string) => text;

const sentencesOf = ({ paragraphs }: Spoken) => paragraphs.flatMap(({ sentences }) => sentences);

/** The transcript. It marks the spoken word; a click on a word plays from there, a double click corrects it. */
export function TranscriptView(props: Props) {
  const { spoken, playback, corrections, isCorrecting = false, moment, mark = asSaid } = props;
  const { paragraphs, starts, speakers, isNamed } = spoken;
  const list = useRef<HTMLOListElement>(null);
  const [stop, setStop] = useState(0);
  const [edits, setEdits] = useState<Edits>(new Map());
  const { shown, measure, scrollTo, space, isWhole } = useParagraphs(list, paragraphs);
  const [found, setFound] = useState<Moment>();
  useMarkedWord(list, spoken, playback);
  useShownMoment(list, spoken, found ?? moment, scrollTo);
  const showsNames = isNamed || isCorrecting;
  const latest = useRef({ spoken, corrections });
  latest.current = { spoken, corrections };
  const saved = useRef(Promise.resolve());

  function setEdit(id: number, edit: { text: string; word: number; isSaving: boolean } | undefined) {
    setEdits((before) => {
      const next = new Map(before);
      if (edit) next.set(id, edit);
      else next.delete(id);
      return next;
    });
  }
  function edit(sentence: Sentence | undefined, word = 0) {
    if (!corrections || !sentence) return;
    playback?.pause();
    setEdit(sentence.id, { text: sentence.text, word, isSaving: false });
  }
  async function finish(sentence: Sentence, text: string, step: number, isConfirmed: boolean) {
    const { id } = sentence;
    const all = sentencesOf(spoken);
    if (step !== 0) edit(all[all.findIndex((one) => one.id === id) + step]);
    const isUnsure = sentence.words.some((word) => word.isUnsure);
    if (text === sentence.text && !(isConfirmed && isUnsure)) return setEdit(id, undefined);
    setEdit(id, { text, word: 0, isSaving: true });
    const before = saved.current;
    const turn = Promise.withResolvers<void>();
    saved.current = turn.promise;
    try {
      // The one before may leave out a segment, and move those after it.
      await before;
      const { spoken: now, corrections } = latest.current;
      await corrections?.correct(sentencesOf(now).find((one) => one.id === id) ?? sentence, text);
      // React shows in a task of its own what was read.
      await after(0);
      setEdit(id, undefined);
    } catch {
      // Keep what was typed, so that the person can try again.
      setEdit(id, { text, word: 0, isSaving: false });
    }
    turn.resolve();
  }
  function sentenceOf(word: number): Sentence | undefined {
    return sentencesOf(spoken).findLast(({ firstWord }) => firstWord <= word);
  }
  function click({ target, detail }: MouseEvent) {
    const element = target instanceof Element ? target.closest(`[${wordAttribute}]`) : null;
    if (!element) return;
    const word = Number(element.getAttribute(wordAttribute));
    if (corrections && (isCorrecting || detail === 2)) {
      const sentence = sentenceOf(word);
      edit(sentence, word - (sentence?.firstWord ?? 0));
      // Selecting text must not count as a click.
    } else if (playback && window.getSelection()?.isCollapsed) playback.playFrom(starts[word] ?? 0);
  }
  function press(event: KeyboardEvent) {
    const key = keyOf(event);
    const step = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (key === 'F2') edit(paragraphs[stop]?.sentences[0]);
    else if (step === undefined) {
      if (playback) playByKey(event, playback);
      return;
    } else {
      const next = Math.min(paragraphs.length - 1, Math.max(0, stop + step));
      flushSync(() => setStop(next));
      list.current?.querySelector<HTMLElement>(`[data-index="${next}"] button[data-time]`)?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }

  if (paragraphs.length === 0) return <EmptyState icon="mic" {...texts.silence} />;
  const tabStop = shown.includes(stop) ? stop : shown[0];
  const find = !isWhole && <FindInSaid list={list} spoken={spoken} onShow={setFound} />;
  return (
    <>
      {find}
      <ol
        ref={list}
        className={styles.transcript}
        data-plays={(playback !== undefined && !isCorrecting) || undefined}
        data-corrects={isCorrecting || undefined}
        aria-label={texts.transcript}
        style={space}
        onClick={click}
        onKeyDown={press}
      >
        {shown.map((index) => {
          const paragraph = paragraphs[index];
          if (!paragraph) return null;
          const { speaker, sentences } = paragraph;
          return (
            <li
              key={sentences[0]?.id}
              ref={measure}
              data-index={index}
              aria-setsize={paragraphs.length}
              aria-posinset={index + 1}
              className={styles.paragraph}
            >
              {showsNames &&
                speaker !== null &&
                (isCorrecting || speaker !== paragraphs[index - 1]?.speaker) && (
                  <span className={styles.who}>
                    <Speaker
                      name={speaker}
                      number={speakers.indexOf(speaker)}
                      onRename={corrections && ((name) => corrections.rename(speaker, name))}
                    />
                    {isCorrecting && corrections && (
                      <WhoSays
                        paragraph={paragraph}
                        name={speaker}
                        speakers={speakers}
                        corrections={corrections}
                      />
                    )}
                  </span>
                )}
              <Time
                paragraph={paragraph}
                tabIndex={index === tabStop ? 0 : -1}
                label={isCorrecting ? texts.correctAt : texts.playFrom}
                onFocus={() => setStop(index)}
                onPress={
                  isCorrecting
                    ? () => edit(sentences[0])
                    : playback && (() => playback.playFrom(paragraph.start))
                }
              />
              <p className={styles.said} dir="auto">
                {sentences.map((sentence) => {
                  const edited = edits.get(sentence.id);
                  if (!edited) return <Said key={sentence.id} sentence={sentence} mark={mark} />;
                  if (edited.isSaving)
                    return (
                      <span key={sentence.id} className={styles.saving}>
                        {edited.text}{' '}
                      </span>
                    );
                  return (
                    <Fragment key={sentence.id}>
                      <EditedSentence
                        sentence={sentence}
                        text={edited.text}
                        word={edited.word}
                        onDone={(text, step, isConfirmed) => finish(sentence, text, step, isConfirmed)}
                      />{' '}
                    </Fragment>
                  );
                })}
              </p>
            </li>
          );
        })}
      </ol>
    </>
  );
}

interface TimeProps {
  paragraph: Paragraph;
  tabIndex: number;
  label(time: string): string;
  onFocus(): void;
  /** Left out if a click does nothing. */
  onPress: (() => void) | undefined;
}

function Time({ paragraph, tabIndex, label, onFocus, onPress }: TimeProps) {
  const time = formatDuration(Math.floor(paragraph.start) * 1000);
  if (!onPress) return <span className={styles.time}>{time}</span>;
  return (
    <button
      type="button"
      className={styles.time}
      data-time
      aria-label={label(time)}
      title={label(time)}
      tabIndex={tabIndex}
      onFocus={onFocus}
      onClick={onPress}
    >
      {time}
    </button>
  );
}
