import { expect, test } from 'vitest';
import { maxActiveKeysPerUser, maxKeyNameLength } from '../../src/domain/api-key.ts';
import { maxOpenAiUploadBytes, maxUploadBytes } from '../../src/domain/audio.ts';
import { exportFormat } from '../../src/domain/export.ts';
import { maxFolderNameLength, maxFoldersPerOwner, maxSortOrder } from '../../src/domain/folder.ts';
import { maxNotesPerChange, maxQueryLength, maxTitleLength } from '../../src/domain/note.ts';
import { maxPromptLength, maxSpeakers } from '../../src/domain/transcription.ts';
import { maxWebhooksPerOwner } from '../../src/domain/webhook.ts';
import { maxWordLength, maxWordsPerRequest } from '../../src/features/dictionary/schema.ts';
import { maxReplacementLength, maxTriggerLength } from '../../src/features/snippets/schema.ts';

test('the limits are those that the documentation names', () => {
  expect({
    upload: maxUploadBytes,
    openAiUpload: maxOpenAiUploadBytes,
    prompt: maxPromptLength,
    speakers: maxSpeakers,
    title: maxTitleLength,
    query: maxQueryLength,
    notesPerChange: maxNotesPerChange,
    folders: maxFoldersPerOwner,
    folderName: maxFolderNameLength,
    sortOrder: maxSortOrder,
    word: maxWordLength,
    wordsPerRequest: maxWordsPerRequest,
    trigger: maxTriggerLength,
    replacement: maxReplacementLength,
    keys: maxActiveKeysPerUser,
    keyName: maxKeyNameLength,
    webhooks: maxWebhooksPerOwner,
    exportVersion: exportFormat.version,
  }).toEqual({
    upload: 4_194_304,
    openAiUpload: 26_214_400,
    prompt: 2_000,
    speakers: 20,
    title: 500,
    query: 500,
    notesPerChange: 500,
    folders: 50,
    folderName: 100,
    sortOrder: 2_147_483_647,
    word: 100,
    wordsPerRequest: 200,
    trigger: 100,
    replacement: 5_000,
    keys: 5,
    keyName: 100,
    webhooks: 10,
    exportVersion: 1,
  });
});
