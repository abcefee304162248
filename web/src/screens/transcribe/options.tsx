import { maxPromptLength } from '../../api/limits.ts';
import { languageName } from '../../lib/languages.ts';
import { SpeakersField } from '../../recorder/speakers-field.tsx';
import type { Asked } from '../../resources/asked.ts';
import { transcribeStrings as texts } from '../../strings/transcribe.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import styles from './transcribe.module.css';

interface Props {
  asked: Asked;
  /** The languages the engine knows; empty when it does not say. */
  languages: readonly string[];
  onChange(asked: Asked): void;
}

export function OptionsFields({ asked, languages, onChange }: Props) {
  return (
    <details className={styles.options}>
      <summary>{texts.options}</summary>
      <div className={styles.optionFields}>
        <SpeakersField
          hint={texts.speakersHint}
          value={asked.speakers ?? ''}
          onChoose={(chosen) => onChange({ ...asked, speakers: chosen })}
        />
        <LanguageField
          languages={languages}
          value={asked.language}
          onChange={(language) => onChange({ ...asked, language })}
        />
        <TextField
          label={texts.prompt}
          hint={texts.promptHint}
          maxLength={maxPromptLength}
          value={asked.prompt}
          onChange={(event) => onChange({ ...asked, prompt: event.target.value })}
        />
      </div>
    </details>
  );
}

interface LanguageProps {
  languages: readonly string[];
  value: string;
  onChange(language: string): void;
}

/** With one language there is nothing to choose. An engine that does not say takes any code. */
function LanguageField({ languages, value, onChange }: LanguageProps) {
  if (languages.length === 1) return null;
  if (languages.length === 0)
    return (
      <TextField
        label={texts.language}
        hint={texts.languageHint}
        value={value}
        onChange={(event) => onChange(event.target.value.trim())}
      />
    );
  const choices = languages
    .map((id) => ({ id, name: languageName(id) }))
    .sort((one, other) => one.name.localeCompare(other.name));
  return (
    <SelectField
      label={texts.language}
      value={value}
      options={[{ id: '', name: texts.anyLanguage }, ...choices]}
      onChoose={onChange}
    />
  );
}
