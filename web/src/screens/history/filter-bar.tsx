import type { RefObject } from 'react';
import { maxSaidLength } from '../../api/limits.ts';
import { historyStrings as texts } from '../../strings/history.ts';
import { SearchField, SelectField } from '../../ui/field.tsx';
import type { Filters } from './filters.ts';
import styles from './history.module.css';

interface Props {
  filters: Filters;
  onChange(filters: Filters): void;
  searchRef: RefObject<HTMLDivElement | null>;
}

export function FilterBar({ filters, onChange, searchRef }: Props) {
  return (
    <div className={styles.filters} ref={searchRef}>
      <SearchField
        label={texts.search}
        maxLength={maxSaidLength}
        value={filters.text}
        onType={(text) => onChange({ ...filters, text })}
      />
      <SelectField
        labelHidden
        label={texts.state}
        value={filters.state}
        options={texts.stateChoices}
        onChoose={(state) => onChange({ ...filters, state })}
      />
      <SelectField
        labelHidden
        label={texts.period}
        value={filters.period}
        options={texts.periods}
        onChoose={(period) => onChange({ ...filters, period })}
      />
    </div>
  );
}
