// Writes src/api/limits.ts: the limits and lists of openapi.json that the console uses. With --check it
// writes nothing and fails when the file is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { dirname } = import.meta;
const openapi = JSON.parse(readFileSync(join(dirname, '../openapi.json'), 'utf8'));
const target = join(dirname, 'src/api/limits.ts');

/** A field of a request body: `field('post /api/v1/notes/create', 'title')`. */
function field(operation, name) {
  const content = operationOf(operation)?.requestBody?.content ?? {};
  const [media] = Object.values(content);
  return { where: `${operation}, field ${name}`, schema: resolved(media?.schema)?.properties?.[name] };
}

/** A parameter of the query string. */
function query(operation, name) {
  const parameter = operationOf(operation)?.parameters?.find((one) => one.name === name);
  return { where: `${operation}, parameter ${name}`, schema: parameter?.schema };
}

function operationOf(operation) {
  const [method, path] = operation.split(' ');
  return openapi.paths[path]?.[method];
}

/** Follows `$ref`, and takes the other half of "this or null". */
function resolved(schema) {
  if (schema?.$ref)
    return resolved(
      schema.$ref
        .slice(2)
        .split('/')
        .reduce((at, key) => at?.[key], openapi),
    );
  return schema?.anyOf ? resolved(schema.anyOf.find(({ type }) => type !== 'null')) : schema;
}

function told({ where, schema }, keyword) {
  const value = resolved(schema)?.[keyword];
  if (value === undefined) throw new Error(`openapi.json does not say ${keyword} of ${where}.`);
  return value;
}

const items = ({ where, schema }) => ({ where: `${where}, its items`, schema: resolved(schema)?.items });

const keyList = {
  where: 'the list of personal keys',
  schema: resolved(operationOf('get /api/v1/keys/list')?.responses['200'].content['application/json'].schema)
    ?.properties.data.properties.keys,
};
const newSpace = 'post /api/workspaces/{id}/spaces';
const newSnippet = 'post /api/v1/snippets/create';
const newAction = 'post /api/v1/actions';
const newWords = field('post /api/v1/dictionary/create', 'words');

const sections = field(newAction, 'sections');
const section = (name) => ({
  where: `${sections.where}, ${name}`,
  schema: resolved(items(sections).schema)?.properties?.[name],
});
const speakers = field('patch /api/v1/transcriptions/{id}', 'speakers');

const limits = {
  maxUserNameLength: told(field('patch /api/account', 'name'), 'maxLength'),
  maxAppPasswordNameLength: told(field('post /api/app-passwords', 'name'), 'maxLength'),
  maxTitleLength: told(field('post /api/v1/notes/create', 'title'), 'maxLength'),
  maxQueryLength: told(field('post /api/v1/notes/search', 'query'), 'maxLength'),
  notesPerChange: told(field('post /api/v1/notes/change', 'ids'), 'maxItems'),
  maxNotesFound: told(field('post /api/v1/notes/search', 'limit'), 'maximum'),
  maxFolderNameLength: told(field('post /api/v1/folders/create', 'name'), 'maxLength'),
  maxTagNameLength: told(field('post /api/v1/tags/create', 'name'), 'maxLength'),
  maxPromptLength: told(field('post /api/v1/transcribe', 'prompt'), 'maxLength'),
  recordingsPerPage: told(query('get /api/v1/recordings', 'limit'), 'maximum'),
  maxSaidLength: told(query('get /api/v1/recordings', 'q'), 'maxLength'),
  maxRecordingNameLength: told(field('patch /api/v1/recordings/{id}', 'name'), 'maxLength'),
  transcriptionsPerPage: told(query('get /api/v1/transcriptions/list', 'limit'), 'maximum'),
  maxCorrections: told(field('patch /api/v1/transcriptions/{id}', 'segments'), 'maxItems'),
  maxSpeakerLength: told(
    { where: `${speakers.where}, the names`, schema: speakers.schema?.additionalProperties },
    'maxLength',
  ),
  maxWordLength: told(items(newWords), 'maxLength'),
  wordsPerRequest: told(newWords, 'maxItems'),
  wordsPerPage: told(query('get /api/v1/dictionary/list', 'limit'), 'maximum'),
  maxTriggerLength: told(field(newSnippet, 'trigger'), 'maxLength'),
  maxReplacementLength: told(field(newSnippet, 'replacement'), 'maxLength'),
  snippetsPerPage: told(query('get /api/v1/snippets/list', 'limit'), 'maximum'),
  maxKeys: told(keyList, 'maxItems'),
  maxKeyNameLength: told(field('post /api/v1/keys/create', 'name'), 'maxLength'),
  personalScopes: told(items(field('post /api/v1/keys/create', 'scopes')), 'enum'),
  workspaceScopes: told(items(field('post /api/workspaces/{id}/api-keys', 'scopes')), 'enum'),
  maxActionNameLength: told(field(newAction, 'name'), 'maxLength'),
  maxActionPromptLength: told(field(newAction, 'prompt'), 'maxLength'),
  maxSections: told(sections, 'maxItems'),
  maxHeadingLength: told(section('heading'), 'maxLength'),
  maxInstructionLength: told(section('instruction'), 'maxLength'),
  maxLanguageLength: told(field(newAction, 'language'), 'maxLength'),
  maxChosenActions: told(field('patch /api/v1/language/settings', 'actions'), 'maxItems'),
  maxQuestionLength: told(field('post /api/v1/ask', 'question'), 'maxLength'),
  conversationsPerPage: told(query('get /api/v1/conversations', 'limit'), 'maximum'),
  maxWorkspaceNameLength: told(field('post /api/workspaces', 'name'), 'maxLength'),
  maxSpaceNameLength: told(field(newSpace, 'name'), 'maxLength'),
  maxSpaceEmojiLength: told(field(newSpace, 'emoji'), 'maxLength'),
  maxSpaceDescriptionLength: told(field(newSpace, 'description'), 'maxLength'),
};

const lines = Object.entries(limits).map(
  ([name, value]) =>
    `export const ${name} = ${JSON.stringify(value, null, 2)}${Array.isArray(value) ? ' as const' : ''};`,
);
const text = [
  '// Generated from openapi.json by `npm run types --workspace web`. Do not edit.',
  ...lines,
  '',
].join('\n');

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
  console.error('src/api/limits.ts is out of date; run `npm run types --workspace web`.');
  process.exitCode = 1;
}
