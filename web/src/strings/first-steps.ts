/** What a new person is shown above their notes. */
export const firstStepStrings = {
  title: 'First steps',
  recorded: 'Record a note',
  wrote: 'Correct the sample or write a note',
  connected: 'Connect a program or an assistant',
  done: 'Done',
  dismiss: 'Hide the first steps',
};
