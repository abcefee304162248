import type { RefObject } from 'react';
import { languageName } from '../../lib/languages.ts';
import { strings } from '../../strings.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import type { Filters } from './filters.ts';
import styles from './history.module.css';

const texts = strings.history;

interface Props {
  filters: Filters;
  onChange(filters: Filters): void;
  /** The codes that occur in the list. */
  languages: readonly string[];
  searchRef: RefObject<HTMLDivElement | null>;
}

export function FilterBar({ filters, onChange, languages, searchRef }: Props) {
  return (
    <div className={styles.filters} ref={searchRef}>
      <TextField
        type="search"
        label={texts.search}
        labelHidden
        placeholder={texts.search}
        value={filters.text}
        onChange={(event) => onChange({ ...filters, text: event.target.value })}
      />
      <SelectField
        label={texts.language}
        labelHidden
        value={filters.language}
        onChange={(event) => onChange({ ...filters, language: event.target.value })}
      >
        <option value="">{texts.anyLanguage}</option>
        {languages.map((code) => (
          <option key={code} value={code}>
            {languageName(code)}
          </option>
        ))}
      </SelectField>
      <Choice
        label={texts.period}
        value={filters.period}
        choices={texts.periods}
        onChange={(period) => onChange({ ...filters, period })}
      />
      <Choice
        label={texts.saved}
        value={filters.saved}
        choices={texts.savedChoices}
        onChange={(saved) => onChange({ ...filters, saved })}
      />
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  choices: Record<Value, string>;
  onChange(value: Value): void;
}

function Choice<Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>) {
  return (
    <SelectField
      label={label}
      labelHidden
      value={value}
      // The options below are all there is to choose from.
      onChange={(event) => onChange(event.target.value as Value)}
    >
      {Object.entries<string>(choices).map(([choice, name]) => (
        <option key={choice} value={choice}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
