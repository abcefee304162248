import { type FormEvent, useId, useState } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { maxQuestionLength } from '../../api/limits.ts';
import { between } from '../../lib/days.ts';
import { keyOf } from '../../lib/key-of.ts';
import type { Conversation, Question } from '../../resources/conversations.ts';
import { useFolders } from '../../resources/folders.ts';
import { useSharedSpaces } from '../../resources/spaces.ts';
import { askStrings as texts } from '../../strings/ask.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/states.tsx';
import styles from './ask.module.css';
import { useDraft } from './use-asking.ts';

export interface Filters {
  /** `folder ID` or `space ID`; empty means everything. */
  where: string;
  /** Days, or empty. */
  since: string;
  until: string;
}
export const noFilters: Filters = { where: '', since: '', until: '' };

interface Props {
  /** The conversation that is asked on; undefined for a new one. */
  id: string | undefined;
  /** Once it is loaded. */
  conversation: Conversation | undefined;
  isAsking: boolean;
  /** Why the last question has no answer. */
  error: unknown;
  filters: Filters;
  onFilter(change: Partial<Filters>): void;
  onAsk(question: Question): void;
  onStop(): void;
}

/** The question, and where to look for an answer. */
export function AskForm({ id, conversation, isAsking, error, filters, onFilter, onAsk, onStop }: Props) {
  const [words, setWords] = useDraft(id);
  const isNew = id === undefined;
  const { where, since, until } = filters;
  const [isFiltering, setFiltering] = useState(false);
  const filterId = useId();
  const question = words.trim();
  // What narrows the next question is never out of sight.
  const showsFilters = isFiltering || Boolean(where || since || until);

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (question === '' || isAsking) return;
    onAsk({ question, ...placeOf(where), ...between(since, until) });
  }
  return (
    <form className={styles.fields} onSubmit={submit}>
      {error != null && <Failure error={error} />}
      <TextArea
        label={isNew ? texts.question : texts.followUp}
        placeholder={isNew ? texts.placeholder : texts.followUpPlaceholder}
        rows={2}
        dir="auto"
        required
        autoFocus={isNew}
        maxLength={maxQuestionLength}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (keyOf(event) !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          submit();
        }}
      />
      <div className={styles.buttons}>
        <Button
          look="quiet"
          icon="sliders"
          aria-expanded={showsFilters}
          aria-controls={showsFilters ? filterId : undefined}
          onClick={() => setFiltering(!showsFilters)}
        >
          {texts.filters}
        </Button>
        {isAsking ? (
          // A key of its own: as the same element it would become the button that sends the form, in the middle of the click.
          <Button key="stop" icon="stop" onClick={onStop}>
            {texts.stop}
          </Button>
        ) : (
          <Button look="primary" type="submit" icon="ask">
            {texts.ask}
          </Button>
        )}
      </div>
      {showsFilters && (
        <div className={styles.filters} id={filterId}>
          <Where conversation={conversation} value={where} onChange={(where) => onFilter({ where })} />
          <TextField
            type="date"
            label={texts.since}
            max={until}
            value={since}
            onChange={(event) => onFilter({ since: event.target.value })}
          />
          <TextField
            type="date"
            label={texts.until}
            min={since}
            value={until}
            onChange={(event) => onFilter({ until: event.target.value })}
          />
        </div>
      )}
    </form>
  );
}

function placeOf(where: string): Pick<Question, 'folder_id' | 'space_id'> {
  const [kind, id = ''] = where.split(' ');
  return kind === 'folder' ? { folder_id: id } : kind === 'space' ? { space_id: id } : {};
}

interface WhereProps {
  conversation: Conversation | undefined;
  value: string;
  onChange(value: string): void;
}

/** A conversation stays where it began; a new question may be about a space. */
function Where({ conversation, value, onChange }: WhereProps) {
  const spaceId = conversation?.space_id ?? undefined;
  const folders = useFolders(spaceId).data ?? [];
  const workspaces = useSharedSpaces();
  const spaces = workspaces.flatMap((workspace) => workspace.spaces);
  const space = spaces.find(({ id }) => id === spaceId)?.name;
  return (
    <SelectField
      label={texts.where}
      value={value}
      options={{ '': space === undefined ? texts.mine : texts.allOf(space) }}
      onChoose={onChange}
    >
      {folders.length > 0 && (
        <optgroup label={space === undefined ? texts.folders : texts.foldersOf(space)}>
          {folders.map(({ id, name }) => (
            <option key={id} value={`folder ${id}`}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
      {!conversation &&
        workspaces.map((workspace) => (
          <optgroup key={workspace.id} label={workspace.name}>
            {workspace.spaces.map(({ id, name }) => (
              <option key={id} value={`space ${id}`}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
    </SelectField>
  );
}

/** Their titles speak of recordings. */
const ownWords = ['quota_exceeded', 'concurrency_limit'];

function Failure({ error }: { error: unknown }) {
  const isOwn = error instanceof StenoError && ownWords.includes(error.code);
  const { title, detail } = isOwn ? { title: texts.failed, detail: error.message } : explain(error);
  return (
    <Notice tone="danger" title={title}>
      <p>{detail}</p>
    </Notice>
  );
}
