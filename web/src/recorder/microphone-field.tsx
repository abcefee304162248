import { useEffect, useState } from 'react';
import { recorderStrings } from '../strings/recorder.ts';
import { SelectField } from '../ui/field.tsx';
import { toast } from '../ui/toast.tsx';
import type { Input } from './microphone.ts';
import { explainProblem } from './problems.ts';
import { microphoneInUse } from './record.ts';
import { useRecorder } from './state.ts';

/** The microphone to use; it can be changed during a recording. */
export function MicrophoneField() {
  const microphone = microphoneInUse();
  const [inputs, setInputs] = useState<Input[]>([]);
  const [chosen, setChosen] = useState('');
  const state = useRecorder();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the microphone that is lost is replaced by another one
  useEffect(() => setChosen(microphone?.inputId ?? ''), [microphone, state]);
  useEffect(() => {
    const look = () => microphone?.inputs().then(setInputs);
    look();
    navigator.mediaDevices.addEventListener('devicechange', look);
    return () => navigator.mediaDevices.removeEventListener('devicechange', look);
  }, [microphone]);
  if (inputs.length < 2) return null;

  function choose(id: string) {
    microphone?.use(id).then(
      () => setChosen(id),
      (error: unknown) => toast({ ...explainProblem(error), tone: 'danger' }),
    );
  }
  return (
    <SelectField
      label={recorderStrings.microphone}
      labelHidden
      value={chosen}
      onChoose={choose}
      options={inputs.map(({ id, label }) => ({ id, name: label }))}
    />
  );
}
