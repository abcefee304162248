import type { RefObject } from 'react';
import { maxSaidLength } from '../../api/limits.ts';
import { historyStrings } from '../../strings/history.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import type { Filters } from './filters.ts';
import styles from './history.module.css';

const texts = historyStrings;

interface Props {
  filters: Filters;
  onChange(filters: Filters): void;
  searchRef: RefObject<HTMLDivElement | null>;
}

export function FilterBar({ filters, onChange, searchRef }: Props) {
  return (
    <div className={styles.filters} ref={searchRef}>
      <TextField
        type="search"
        label={texts.search}
        labelHidden
        placeholder={texts.search}
        maxLength={maxSaidLength}
        value={filters.text}
        onChange={(event) => onChange({ ...filters, text: event.target.value })}
      />
      <Choice
        label={texts.state}
        value={filters.state}
        choices={texts.stateChoices}
        onChange={(state) => onChange({ ...filters, state })}
      />
      <Choice
        label={texts.period}
        value={filters.period}
        choices={texts.periods}
        onChange={(period) => onChange({ ...filters, period })}
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
