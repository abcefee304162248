import { maxHeadingLength, maxInstructionLength, maxSections } from '../../api/limits.ts';
import type { Action } from '../../resources/language.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import styles from './language.module.css';

export type Section = NonNullable<Action['sections']>[number];

interface Props {
  sections: readonly Section[];
  onChange(sections: readonly Section[]): void;
}

/** The headings of a text, each with what belongs below it. */
export function Sections({ sections, onChange }: Props) {
  const change = (at: number, section: Partial<Section>) =>
    onChange(sections.map((one, place) => (place === at ? { ...one, ...section } : one)));
  return (
    <fieldset className={`group ${styles.sections}`}>
      <legend className="field-label">{texts.sections}</legend>
      <p className="field-hint">{texts.sectionsHint}</p>
      {sections.map(({ heading, instruction }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: its place is its name
        <div key={at} className={styles.section}>
          <TextField
            label={texts.heading}
            required
            autoFocus={heading === ''}
            maxLength={maxHeadingLength}
            value={heading}
            onChange={(event) => change(at, { heading: event.target.value })}
          />
          <TextField
            label={texts.instruction}
            required
            maxLength={maxInstructionLength}
            value={instruction}
            onChange={(event) => change(at, { instruction: event.target.value })}
          />
          <IconButton
            icon="trash"
            label={texts.removeSection(heading)}
            onClick={() => onChange(sections.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      {sections.length < maxSections && (
        <div>
          <Button icon="plus" onClick={() => onChange([...sections, { heading: '', instruction: '' }])}>
            {texts.addSection}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
