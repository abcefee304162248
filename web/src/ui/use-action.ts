import { useMutation } from '@tanstack/react-query';
import { toastError } from './toast.tsx';

/** Something that a button does. Why it failed is told in a message. */
export const useAction = <Result, Given = void>(
  run: (given: Given) => Promise<Result>,
  onDone?: (result: Result, given: Given) => unknown,
) => useMutation({ mutationFn: run, onSuccess: onDone ?? (() => {}), onError: toastError });
