import type { Feature } from '../kernel/http.ts';
import * as ask from './ask/operations.ts';
import {
  downloadAuditEvents,
  downloadWorkspaceAuditEvents,
  listAuditEvents,
  listWorkspaceAuditEvents,
} from './audit/operations.ts';
import * as changes from './changes/operations.ts';
import * as dictionary from './dictionary/operations.ts';
import { exportEverything } from './export/operations.ts';
import * as firstSteps from './first-steps/operations.ts';
import * as folders from './folders/operations.ts';

import * as accounts from './identity/accounts/operations.ts';
import * as appPasswords from './identity/app-passwords/operations.ts';
import * as codes from './identity/codes/operations.ts';
import * as grants from './identity/oauth/operations.ts';
import * as sessions from './identity/sessions/operations.ts';
import { importExport } from './import/operations.ts';
import * as invitations from './invitations/operations.ts';
import * as workspaceKeys from './keys/of-workspace.ts';
import * as keys from './keys/operations.ts';
import * as language from './language/operations.ts';
import * as me from './me/operations.ts';
import * as members from './members/operations.ts';
import * as notes from './notes/operations.ts';
import { listSpeakers, searchNotes } from './notes/search.ts';
import { createOpenAiChatCompletion } from './openai/chat.ts';
import * as openai from './openai/operations.ts';
import * as people from './operator/people/operations.ts';
import * as setup from './operator/setup/operations.ts';
import * as status from './operator/status/operations.ts';
import * as recordings from './recordings/operations.ts';
import * as uploads from './recordings/uploads/operations.ts';
import * as revisions from './revisions/operations.ts';
import * as snippets from './snippets/operations.ts';
import * as workspaceSpaces from './spaces/of-workspace.ts';
import * as spaces from './spaces/operations.ts';
import * as tags from './tags/operations.ts';
import * as transcribe from './transcribe/operations.ts';
import * as transcriptions from './transcriptions/operations.ts';
import * as trash from './trash/operations.ts';
import * as usage from './usage/operations.ts';
import * as webhooks from './webhooks/operations.ts';
import * as allWorkspaces from './workspaces/of-server.ts';
import * as workspaces from './workspaces/operations.ts';

/** The table of contents: every feature that is written as operations, in the order of the API's description. */
export const features: readonly Feature[] = [
  { tag: 'Notes', operations: { ...notes, searchNotes, listSpeakers } },
  { tag: 'Trash', operations: trash },
  { tag: 'Revisions', operations: revisions },
  { tag: 'Folders', operations: folders },
  { tag: 'Tags', operations: tags },
  { tag: 'Changes', operations: changes },
  { tag: 'Account', operations: firstSteps },
  { tag: 'Ask', operations: ask },
  { tag: 'Export', operations: { exportEverything, importExport } },
  { tag: 'Dictionary', operations: dictionary },
  { tag: 'Keys', operations: keys },
  { tag: 'Language', operations: language },
  { tag: 'Recordings', operations: { ...recordings, ...uploads } },
  { tag: 'Snippets', operations: snippets },
  { tag: 'Spaces', operations: spaces },
  { tag: 'Me', operations: me },
  { tag: 'Transcriptions', operations: { ...transcribe, ...transcriptions } },
  { tag: 'OpenAI', operations: { ...openai, createOpenAiChatCompletion } },
  { tag: 'Usage', operations: usage },
  { tag: 'Operator', operations: allWorkspaces },
  { tag: 'Operator', operations: { listAuditEvents, downloadAuditEvents } },
  { tag: 'Workspaces', operations: workspaces },
  { tag: 'Workspaces', operations: members },
  { tag: 'Workspaces', operations: workspaceSpaces },
  { tag: 'Workspaces', operations: workspaceKeys },
  { tag: 'Workspaces', operations: { listWorkspaceAuditEvents, downloadWorkspaceAuditEvents } },
  { tag: 'Webhooks', operations: webhooks },
  { tag: 'Account', operations: accounts },
  { tag: 'Agent set-up', operations: codes },
  { tag: 'Sessions', operations: appPasswords },
  { tag: 'Sessions', operations: sessions },
  { tag: 'Keys', operations: grants },
  { tag: 'Invitations', operations: invitations },
  { tag: 'Operator', operations: status },
  { tag: 'Operator', operations: setup },
  { tag: 'Operator', operations: people },
];
