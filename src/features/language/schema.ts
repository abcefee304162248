import { z } from 'zod';
import { id, idInput, label, text, timestamp } from '../../kernel/schemas.ts';

const maxActionNameLength = 200;
export const maxActionsPerUser = 200;

/** Where a text goes. `title` is for the built-in action of that name alone. */
const outputs = ['replace', 'append', 'note'] as const;

const section = z.object({ heading: z.string(), instruction: z.string() });

/** What a language model is asked to write about a note. */
export const action = z
  .object({
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
  })
  .meta({ id: 'Action' });
export type Action = z.infer<typeof action>;
export type StoredAction = Action & { user_id: string; created_at: string; updated_at: string };

const language = label(60).describe('What to write in: `de`, or `German`.');
const written = {
  name: label(maxActionNameLength),
  prompt: text(20_000).describe('What to write about the note.'),
  description: text(1_000).nullable(),
  sections: z
    .array(z.object({ heading: label(maxActionNameLength), instruction: text(2_000) }))
    .max(20)
    .nullable(),
  output: z.enum(outputs),
  language: language.nullable(),
};
export const actionDraft = z.object({
  ...written,
  description: written.description.default(null),
  sections: written.sections.default(null),
  output: written.output.default('replace'),
  language: written.language.default(null),
  workspace_id: idInput.nullable().default(null),
});
export const actionChanges = z.object(written).exactPartial();
export type ActionChanges = z.infer<typeof actionChanges>;

/** What the model is to write about one note. */
export const wish = z.object({
  action: z.string().min(1).max(100).describe('The id of an action of `GET /actions`.'),
  language: language.optional(),
  output: z.enum(outputs).optional().describe('Another place than the action says.'),
});
export type Wish = z.infer<typeof wish>;

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

const jobStates = ['queued', 'writing', 'done', 'failed', 'cancelled'] as const;

/** A text that is being written about a note. The rows in work are the queue. */
export const languageJob = z
  .object({
    id,
    user_id: id,
    note_id: id,
    action_id: z.string(),
    action_name: z.string(),
    automatic: z.boolean().describe('Whether it began by itself, after a recording.'),
    state: z.enum(jobStates),
    progress: z.number().min(0).max(1),
    error: z.string().nullable().describe('What went wrong last, also while it waits for another try.'),
    error_code: z.string().nullable(),
    result_note_id: id.nullable().describe('The new note, for an action that makes one.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'LanguageJob' });
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
export const shownSettings = languageSettings
  .extend({
    is_on: z.boolean().describe('Whether this server has a language model.'),
    model: z
      .object({
        address: z.string().nullable().describe('Where texts are sent.'),
        model: z.string(),
        window: z.int().describe('Tokens that fit into one request with its answer.'),
      })
      .nullable()
      .describe('Null without a model, and while it does not answer.'),
  })
  .meta({ id: 'LanguageSettings' });

const actionIds = z.array(z.string().max(100)).max(10);
export const settingsChanges = z.object({
  allowed: z.boolean().exactOptional(),
  titles: z.boolean().exactOptional(),
  actions: actionIds.exactOptional(),
  folders: z
    .array(z.object({ folder_id: idInput, actions: actionIds }))
    .max(100)
    .exactOptional()
    .describe('All folders with actions of their own; others follow `actions`.'),
});

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
