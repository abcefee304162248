import type { Person } from '../../resources/operator.ts';
import { commonStrings } from '../../strings/common.ts';
import { SelectField } from '../../ui/field.tsx';

type Plan = Person['plan'];

interface Props {
  label: string;
  plan: Plan;
  busy: boolean;
  onChange(plan: Plan): void;
}

export const PlanField = ({ label, plan, busy, onChange }: Props) => (
  <SelectField
    label={label}
    labelHidden
    value={plan}
    disabled={busy}
    onChoose={onChange}
    options={commonStrings.plans}
  />
);
