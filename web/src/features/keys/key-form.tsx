import { useState } from 'react';
import { maxKeyNameLength } from '../../api/limits.ts';
import { keyStrings as texts } from '../../strings/keys.ts';
import { Choice } from '../../ui/choice.tsx';
import { Checkboxes, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

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
  const [chosen, setChosen] = useState<readonly Scope[]>(presets.assistant);
  const [lifetime, setLifetime] = useState<Lifetime>(usualLifetime);
  const [tried, setTried] = useState(false);

  function draftOf(typed: (name: string) => string): KeyDraft<Scope> {
    const days = lifetimes[lifetime];
    const allowed = typed('allowed_addresses')
      .split(/[\s,]+/)
      .filter((address) => address !== '');
    return {
      name: typed('name'),
      scopes: scopes.filter((scope) => chosen.includes(scope)),
      ...(days === undefined ? {} : { expires_in_days: days }),
      ...(allowed.length === 0 ? {} : { allowed_addresses: allowed }),
    };
  }

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
      save={(typed) => create(draftOf(typed))}
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
      />
      <Checkboxes
        legend={texts.scopes}
        options={scopes.map((scope) => ({ value: scope, label: <ScopeName scope={scope} /> }))}
        chosen={chosen}
        onChoose={setChosen}
        error={tried && chosen.length === 0 && texts.noScopes}
      >
        <Choice
          label={texts.preset}
          value={preset ?? 'own'}
          options={presetOptions}
          onChange={(chosenPreset) => chosenPreset !== 'own' && setChosen(presets[chosenPreset])}
        />
      </Checkboxes>
      <SelectField label={texts.expiry} value={lifetime} onChoose={setLifetime} options={texts.expiries} />
      <TextField
        name="allowed_addresses"
        label={texts.addresses}
        hint={texts.addressesHint}
        placeholder={texts.addressesPlaceholder}
      />
    </FormDialog>
  );
}

const ScopeName = ({ scope }: { scope: string }) => (
  <>
    {texts.scopeNames[scope]} <code className="muted">{scope}</code>
  </>
);
