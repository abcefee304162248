import { z } from 'zod';
import { id, timestamp } from './fields.ts';

export const maxActionNameLength = 200;
export const maxDescriptionLength = 1_000;
export const maxPromptLength = 20_000;
export const maxSections = 20;
export const maxInstructionLength = 2_000;
export const maxActionsPerUser = 200;
/** That run by themselves after a recording. */
export const maxChosenActions = 10;
export const maxFoldersWithActions = 100;

/** Where a text goes. `title` is for the built-in action of that name alone. */
export const outputs = ['replace', 'append', 'note'] as const;

const section = z.object({ heading: z.string(), instruction: z.string() });

/** What a language model is asked to write about a note. */
export const action = z.object({
  id: z.string().describe('A UUID, or the name of a built-in action.'),
  user_id: id.nullable().describe('Who made it; null for a built-in action.'),
  workspace_id: id.nullable().describe('The workspace whose members share it.'),
  name: z.string(),
  description: z.string().nullable(),
  prompt: z.string(),
  sections: z.array(section).nullable().describe('The headings of the text, in order.'),
  output: z
    .enum([...outputs, 'title'])
    .describe('`replace` and `append`: the enhanced text. `note`: a new note. `title`: the title.'),
  language: z.string().nullable().describe('What to write in; null means the language of the note.'),
  created_at: timestamp.nullable(),
  updated_at: timestamp.nullable(),
});
export type Action = z.infer<typeof action>;
export type StoredAction = Action & { user_id: string; created_at: string; updated_at: string };
export type ActionDraft = Pick<
  Action,
  'name' | 'description' | 'prompt' | 'sections' | 'language' | 'workspace_id'
> & { output: (typeof outputs)[number] };
export type ActionChanges = Partial<Omit<ActionDraft, 'workspace_id'>>;

const builtIn = (id: string, name: string, prompt: string, output: Action['output']): Action => ({
  id,
  user_id: null,
  workspace_id: null,
  name,
  description: null,
  prompt,
  sections: null,
  output,
  language: null,
  created_at: null,
  updated_at: null,
});

/** The first line says what to write; models hold on to it best. */
export const builtInActions: readonly Action[] = [
  builtIn(
    'title',
    'Title',
    'Write a title for the text.\nAt most 8 words, plain, without quotes and without a full stop. Name what it is about, with the name or number that sets it apart. Answer with the title alone.',
    'title',
  ),
  builtIn(
    'clean-up',
    'Clean-up',
    'Write the text again so that it reads well.\nAdd punctuation and paragraphs, remove filler words and false starts. Keep every fact, name, number and opinion, and the order. Add nothing. Answer with the text alone.',
    'replace',
  ),
  builtIn(
    'summary',
    'Summary',
    'Write a summary of the text.\nBegin with one or two sentences that say what matters most, then a short list of the points. Keep names, numbers and dates exactly. Nothing that the text does not say.',
    'replace',
  ),
  builtIn(
    'action-items',
    'Action items',
    'Write the tasks that the text names, as a list of tasks.\nOne line for each: "- [ ] what is to be done (who, by when)". Name who and when only if it was said. If there is no task, answer "No tasks."',
    'append',
  ),
  builtIn(
    'minutes',
    'Minutes',
    'Write minutes of this conversation.\nUse the headings "## Participants" (only if they are named), "## Topics", "## Decisions" and "## Tasks". Keep names, numbers and dates exactly. Leave a heading out if there is nothing for it.',
    'replace',
  ),
  builtIn(
    'follow-up',
    'Follow-up e-mail',
    'Write an e-mail to those who took part.\nThank them in a sentence, sum up what was agreed, list who does what by when, and close. Invent no names or dates. Begin with a line "Subject: …".',
    'append',
  ),
  builtIn(
    'translate',
    'Translation',
    'Write a translation of the text.\nTranslate all of it and nothing else. Keep names, numbers and the paragraphs. Answer with the translation alone.',
    'replace',
  ),
];

export const languageJobStates = ['queued', 'writing', 'done', 'failed', 'cancelled'] as const;

/** A text that is being written about a note. The rows in work are the queue. */
export const languageJob = z.object({
  id,
  user_id: id,
  note_id: id,
  action_id: z.string(),
  action_name: z.string(),
  automatic: z.boolean().describe('Whether it began by itself, after a recording.'),
  state: z.enum(languageJobStates),
  progress: z.number().min(0).max(1),
  error: z.string().nullable().describe('What went wrong last, also while it waits for another try.'),
  error_code: z.string().nullable(),
  result_note_id: id.nullable().describe('The new note, for an action that makes one.'),
  created_at: timestamp,
  updated_at: timestamp,
});
export type LanguageJob = z.infer<typeof languageJob>;

/** What a person wants of language models. */
export const languageSettings = z.object({
  allowed: z.boolean().describe('False: no text of yours goes to a language model.'),
  titles: z.boolean().describe('Whether the note of a recording gets a title by itself.'),
  actions: z.array(z.string()).describe('Ids of the actions that run by themselves after a recording.'),
  folders: z
    .array(z.object({ folder_id: id, actions: z.array(z.string()) }))
    .describe('The same for recordings into these folders.'),
});
export type LanguageSettings = z.infer<typeof languageSettings>;
export const defaultLanguageSettings: LanguageSettings = {
  allowed: true,
  titles: true,
  actions: [],
  folders: [],
};

/** The ids of the actions for a recording into this folder. */
export const chosenActions = ({ titles, actions, folders }: LanguageSettings, folderId: string | null) => [
  ...(titles ? ['title'] : []),
  ...(folders.find(({ folder_id }) => folder_id === folderId)?.actions ?? actions),
];
