/** Workspaces: members, invitations, spaces, keys and policy. */
export const workspaceStrings = {
  title: 'Workspaces',
  lead: 'A workspace is a team that shares notes in spaces.',
  list: 'Your workspaces',
  received: 'Invitations for you',
  receivedTo: (workspace: string) => `Invitation to “${workspace}”`,
  receivedFrom: (inviter: string, until: string) => `From ${inviter}. You can answer until ${until}.`,
  answer: 'Answer',
  waiting: (count: number) => (count === 1 ? '1 invitation' : `${count} invitations`),
  create: 'New workspace',
  name: 'Name',
  namePlaceholder: 'Acme editorial',
  created: (name: string) => `“${name}” is ready. You’re its admin.`,
  createdAt: (when: string) => `Created ${when}`,
  empty: { title: 'No workspaces yet', detail: 'Create one to share notes with your team and its tools.' },
  gone: { title: 'Workspace not found', detail: 'It may be gone, or you may not be a member.' },
  back: 'Workspaces',
  roles: { admin: 'Admin', member: 'Member' },
  onlyAdmins: 'Only admins of this workspace can change this.',
  tabs: {
    label: 'Parts of the workspace',
    members: 'Members',
    spaces: 'Spaces',
    keys: 'Keys',
    policy: 'Policy',
    audit: 'Audit log',
  },
  managesYou: 'Manages you',
  turnsOff: (policy: {
    block_cloud_transcription: boolean;
    block_cloud_backup: boolean;
    block_language_models: boolean;
  }) => {
    const blocked = [
      ...(policy.block_cloud_transcription ? ['transcription'] : []),
      ...(policy.block_cloud_backup ? ['changes to dictionary and snippets'] : []),
      ...(policy.block_language_models ? ['language models'] : []),
    ];
    return blocked.length === 0
      ? 'It turns nothing off for managed members at the moment.'
      : `It turns off ${blocked.join(' and ')} for managed members.`;
  },
  invitations: {
    invite: 'Invite',
    send: 'Send invitation',
    emailHint: 'They become a member when they accept.',
    manage: 'Manage their account',
    manageHint:
      'The invitation says so, and they can decline. Once they accept, the workspace’s policy applies to everything they do on this server.',
    list: 'Invitations',
    expires: (when: string) => `Not answered yet. Expires ${when}`,
    expired: 'Expired without an answer',
    again: 'Send again',
    sent: (email: string) => `Invitation sent to ${email}`,
    revoke: (email: string) => `Revoke the invitation to ${email}`,
    revoked: (email: string) => `The invitation to ${email} no longer works`,
    passOn: (email: string) => `Send this link to ${email}`,
    passOnDetail:
      'This server doesn’t send invitations by email. The link works for 14 days and only for that address. You won’t be able to see it again.',
    link: 'Link to the invitation',
  },
  members: {
    email: 'Email address',
    role: 'Role',
    roleOf: (name: string) => `Role of ${name}`,
    you: 'You',
    joined: (when: string) => `Joined ${when}`,
    alreadyMember: 'This person is already a member.',
    noAddress: {
      title: 'This person has no email address',
      detail: 'They have to agree to being managed, and without an address we can’t ask them.',
    },
    revokeKeys: (count: number) =>
      count === 1 ? 'Revoke the key they created for it' : `Revoke the ${count} keys they created for it`,
    revokeKeysHint: 'Tools that use them stop working at once.',
    remove: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove ${name}?`,
    removeDetail:
      'They lose access to this workspace. Keys they created for it keep working unless you revoke them.',
    removed: (name: string) => `${name} is no longer a member`,
    managed: 'Managed',
    managedOf: (name: string) => `Managed: ${name}`,
    askManaged: (name: string) => `Ask ${name} to be managed?`,
    askManagedDetail: (email: string) =>
      `This sends an invitation to ${email}. Nothing changes until they accept; then the workspace’s policy applies to everything they do on this server.`,
    leave: 'Leave',
    leaveTitle: 'Leave this workspace?',
    leaveDetail:
      'You lose access to it, and its policy no longer applies to you. You need an invitation to come back.',
    left: 'You left the workspace',
    needsAdmin: 'A workspace needs an admin',
  },
  spaces: {
    create: 'New space',
    edit: (name: string) => `Edit ${name}`,
    editTitle: 'Edit space',
    name: 'Name',
    emoji: 'Emoji',
    description: 'Description',
    id: 'Copy ID',
    idOf: (name: string) => `Copy ID of ${name}`,
    idCopied: 'Space ID copied. Requests with a workspace key send it as space_id.',
    archive: (name: string) => `Archive ${name}`,
    archiveTitle: (name: string) => `Archive “${name}”?`,
    archiveDetail:
      'Nothing is deleted, but no member sees the space and its notes any more. You can’t undo this here.',
    archiveAction: 'Archive',
    archived: 'Space archived',
    empty: { title: 'No spaces yet', detail: 'A workspace keeps its notes in spaces. Create the first one.' },
  },
  keys: {
    create: 'Create workspace key',
    empty: {
      title: 'No workspace keys yet',
      detail: 'Create one for the tools that read or write this team’s notes.',
    },
  },
  policy: {
    label: 'What managed members can’t do',
    detail:
      'These rules apply to managed members, here and with their own keys. A change takes effect at once. Members are managed only after they accept an invitation that says so.',
    rules: {
      block_cloud_transcription: {
        name: 'Block transcription',
        detail: 'Managed members can’t send recordings to this server.',
      },
      block_cloud_backup: {
        name: 'Block changes to dictionary and snippets',
        detail: 'Managed members can read both but can’t change them.',
      },
      block_language_models: {
        name: 'Block language models',
        detail: 'No text of managed members is sent to a language model.',
      },
    },
    on: 'On',
    off: 'Off',
  },
};
