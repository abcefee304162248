import { useState } from 'react';
import { maxKeyNameLength } from '../../api/limits.ts';
import { commonStrings } from '../../strings/common.ts';
import { keyStrings } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
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

interface Props<Scope> {
  open: boolean;
  onClose(): void;
  title: string;
  scopes: readonly Scope[];
  /** Ready choices. A new form begins with "Assistant". */
  presets: Readonly<Record<KeyPreset, readonly Scope[]>>;
  busy: boolean;
  error: Error | null;
  onCreate(draft: KeyDraft<Scope>): void;
}

/** The same for personal and workspace keys; only their scopes differ. */
export function KeyForm<Scope extends string>({ open, onClose, title, ...rest }: Props<Scope>) {
  const { scopes, presets, busy, error, onCreate } = rest;
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState(presets.assistant);
  const [lifetime, setLifetime] = useState<Lifetime>(usualLifetime);
  const [addresses, setAddresses] = useState('');
  const [tried, setTried] = useState(false);

  function submit() {
    setTried(true);
    if (chosen.length === 0) return;
    const days = lifetimes[lifetime];
    const allowed = addresses.split(/[\s,]+/).filter((address) => address !== '');
    onCreate({
      name: name.trim(),
      scopes: scopes.filter((scope) => chosen.includes(scope)),
      ...(days === undefined ? {} : { expires_in_days: days }),
      ...(allowed.length === 0 ? {} : { allowed_addresses: allowed }),
    });
  }
  const toggle = (scope: Scope, on: boolean) =>
    setChosen(on ? [...chosen, scope] : chosen.filter((one) => one !== scope));

  const preset = presetNames.find(
    (one) => presets[one].length === chosen.length && presets[one].every((scope) => chosen.includes(scope)),
  );

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={busy}>
            {texts.create}
          </Button>
        </>
      }
    >
      <ErrorNotice error={error} />
      <TextField
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
                {texts.scopeNames[scope] ?? scope} <code className="muted">{scope}</code>
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
      <SelectField
        label={texts.expiry}
        value={lifetime}
        // The options below are all there is to choose from.
        onChange={(event) => setLifetime(event.target.value as Lifetime)}
      >
        {Object.entries(texts.expiries).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField
        label={texts.addresses}
        hint={texts.addressesHint}
        placeholder={texts.addressesPlaceholder}
        value={addresses}
        onChange={(event) => setAddresses(event.target.value)}
      />
    </Dialog>
  );
}
