import { useState } from 'react';
import { maxKeyNameLength } from '../../api/limits.ts';
import { keyStrings } from '../../strings/keys.ts';
import { Choice } from '../../ui/choice.tsx';
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import styles from './keys.module.css';

const texts = keyStrings;
const lifetimes = { never: undefined, week: 7, month: 30, quarter: 90, year: 365 };
type Lifetime = keyof typeof lifetimes;
const usualLifetime: Lifetime = 'quarter';

const presetNames = ['readOnly', 'assistant', 'everything'] as const;
type KeyPreset = (typeof presetNames)[number];
const presetOptions = presetNames.map((value) => ({ value, label: texts.presets[value] }));

export interface KeyDraft<Scope> {
  name: string;
  scopes: Scope[];
  expires_in_days?: number;
  allowed_addresses?: string[];
}

interface Props<Scope, Made> {
  title: string;
  scopes: readonly Scope[];
  /** Ready choices. A new form begins with "Assistant". */
  presets: Readonly<Record<KeyPreset, readonly Scope[]>>;
  create(draft: KeyDraft<Scope>): Promise<Made>;
  onCreated(made: Made): unknown;
  onClose(): void;
}

/** The same for personal and workspace keys; only their scopes differ. */
export function KeyForm<Scope extends string, Made>(props: Props<Scope, Made>) {
  const { title, scopes, presets, create, onCreated, onClose } = props;
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState(presets.assistant);
  const [lifetime, setLifetime] = useState<Lifetime>(usualLifetime);
  const [addresses, setAddresses] = useState('');
  const [tried, setTried] = useState(false);

  function draft(): KeyDraft<Scope> {
    const days = lifetimes[lifetime];
    const allowed = addresses.split(/[\s,]+/).filter((address) => address !== '');
    return {
      name: name.trim(),
      scopes: scopes.filter((scope) => chosen.includes(scope)),
      ...(days === undefined ? {} : { expires_in_days: days }),
      ...(allowed.length === 0 ? {} : { allowed_addresses: allowed }),
    };
  }
  const toggle = (scope: Scope, on: boolean) =>
    setChosen(on ? [...chosen, scope] : chosen.filter((one) => one !== scope));

  const preset = presetNames.find(
    (one) => presets[one].length === chosen.length && presets[one].every((scope) => chosen.includes(scope)),
  );

  return (
    <FormDialog
      title={title}
      action={texts.create}
      isComplete={() => {
        setTried(true);
        return chosen.length > 0;
      }}
      save={() => create(draft())}
      onSaved={onCreated}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={texts.name}
        hint={texts.nameHint}
        placeholder={texts.namePlaceholder}
        required
        autoFocus
        maxLength={maxKeyNameLength}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className={styles.scopes}>
        <legend className="field-label">{texts.scopes}</legend>
        <Choice
          label={texts.preset}
          value={preset ?? 'own'}
          options={presetOptions}
          onChange={(chosenPreset) => chosenPreset !== 'own' && setChosen(presets[chosenPreset])}
        />
        {scopes.map((scope) => (
          <Checkbox
            key={scope}
            label={
              <>
                {texts.scopeNames[scope]} <code className="muted">{scope}</code>
              </>
            }
            checked={chosen.includes(scope)}
            onChange={(event) => toggle(scope, event.target.checked)}
          />
        ))}
        {tried && chosen.length === 0 && (
          <p className="field-error" role="alert">
            {texts.noScopes}
          </p>
        )}
      </fieldset>
      <SelectField label={texts.expiry} value={lifetime} onChoose={setLifetime} options={texts.expiries} />
      <TextField
        name="allowed_addresses"
        label={texts.addresses}
        hint={texts.addressesHint}
        placeholder={texts.addressesPlaceholder}
        value={addresses}
        onChange={(event) => setAddresses(event.target.value)}
      />
    </FormDialog>
  );
}
