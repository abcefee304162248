// Generated from openapi.json by `npm run types --workspace web`. Do not edit.
export const maxUserNameLength = 100;
export const maxAppPasswordNameLength = 100;
export const maxTitleLength = 500;
export const maxQueryLength = 500;
export const notesPerChange = 500;
export const maxNotesFound = 50;
export const maxFolderNameLength = 100;
export const maxTagNameLength = 100;
export const maxPromptLength = 2000;
export const recordingsPerPage = 100;
export const maxSaidLength = 200;
export const maxRecordingNameLength = 200;
export const transcriptionsPerPage = 100;
export const maxCorrections = 100;
export const maxSpeakerLength = 100;
export const maxWordLength = 100;
export const wordsPerRequest = 200;
export const wordsPerPage = 500;
export const maxTriggerLength = 100;
export const maxReplacementLength = 5000;
export const snippetsPerPage = 500;
export const maxKeys = 5;
export const maxKeyNameLength = 100;
export const personalScopes = [
  "notes:read",
  "notes:write",
  "transcriptions:read",
  "transcriptions:write",
  "transcriptions:delete",
  "usage:read",
  "dictionary:read",
  "dictionary:write",
  "snippets:read",
  "snippets:write",
  "llm:use"
] as const;
export const workspaceScopes = [
  "workspace:notes:read",
  "workspace:notes:write",
  "workspace:folders:read",
  "workspace:folders:write",
  "workspace:transcriptions:read",
  "workspace:*"
] as const;
export const maxActionNameLength = 200;
export const maxActionPromptLength = 20000;
export const maxSections = 20;
export const maxHeadingLength = 200;
export const maxInstructionLength = 2000;
export const maxLanguageLength = 60;
export const maxChosenActions = 10;
export const maxQuestionLength = 2000;
export const conversationsPerPage = 100;
export const maxWorkspaceNameLength = 100;
export const maxSpaceNameLength = 100;
export const maxSpaceEmojiLength = 16;
export const maxSpaceDescriptionLength = 500;
