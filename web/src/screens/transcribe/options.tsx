import { strings } from '../../strings.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { languages } from './languages.ts';
import styles from './transcribe.module.css';
import type { Asked } from './upload.ts';

const words = strings.transcribe;
const maxPromptLength = 1_000;

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
