import { maxPromptLength } from '../../api/limits.ts';
import { languages } from '../../lib/languages.ts';
import type { Asked } from '../../resources/transcribe.ts';
import { strings } from '../../strings.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import styles from './transcribe.module.css';

const words = strings.transcribe;

export function OptionsFields({ asked, onChange }: { asked: Asked; onChange(asked: Asked): void }) {
  return (
    <details className={styles.options}>
      <summary>{words.options}</summary>
      <div className={styles.optionFields}>
        <SelectField
          label={words.language}
          value={asked.language}
          onChange={(event) => onChange({ ...asked, language: event.target.value })}
        >
          <option value="">{words.anyLanguage}</option>
          {languages.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField
          label={words.prompt}
          hint={words.promptHint}
          maxLength={maxPromptLength}
          value={asked.prompt}
          onChange={(event) => onChange({ ...asked, prompt: event.target.value })}
        />
      </div>
    </details>
  );
}
