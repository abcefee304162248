import type { RefObject } from 'react';
import { languageName } from '../../lib/languages.ts';
import { strings } from '../../strings.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import type { Filters } from './filters.ts';
import styles from './history.module.css';

const words = strings.history;

interface Props {
  filters: Filters;
  onChange(filters: Filters): void;
  /** Codes that occur. */
  languages: readonly string[];
  searchRef: RefObject<HTMLDivElement | null>;
}

export function FilterBar({ filters, onChange, languages, searchRef }: Props) {
  return (
    <div className={styles.filters} ref={searchRef}>
      <TextField
        type="search"
        label={words.search}
        labelHidden
        placeholder={words.search}
        value={filters.text}
        onChange={(event) => onChange({ ...filters, text: event.target.value })}
      />
      <SelectField
        label={words.language}
        labelHidden
        value={filters.language}
        onChange={(event) => onChange({ ...filters, language: event.target.value })}
      >
        <option value="">{words.anyLanguage}</option>
        {languages.map((code) => (
          <option key={code} value={code}>
            {languageName(code)}
          </option>
        ))}
      </SelectField>
      <Choice
        label={words.period}
        value={filters.period}
        choices={words.periods}
        onChange={(period) => onChange({ ...filters, period })}
      />
      <Choice
        label={words.saved}
        value={filters.saved}
        choices={words.savedChoices}
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
