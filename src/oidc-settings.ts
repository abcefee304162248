import { z } from 'zod';
import type { GroupRules } from './domain/identity-provider.ts';
import { type MemberRole, memberRoles } from './domain/member.ts';
import { type PlanName, planNames } from './domain/plans.ts';

const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
const groupList = z.string().transform(words);

/** `group=value, group=value`. A name of a group may contain `=` itself, so the last one counts. */
const groupTable = <Value>(expected: string, read: (text: string) => Value | undefined) =>
  z.string().transform((text, context): { group: string; value: Value }[] =>
    words(text).flatMap((entry) => {
      const [, group = '', written = ''] = /^(.+)=([^=]*)$/.exec(entry) ?? [];
      const value = read(written.trim());
      if (group !== '' && value !== undefined) return [{ group: group.trim(), value }];
      context.addIssue(`must be a list like ${expected}`);
      return [];
    }),
  );

const plan = (text: string): PlanName | undefined => planNames.find((name) => name === text);

function membership(text: string): { workspaceId: string; role: MemberRole } | undefined {
  const [workspaceId = '', given = 'member', ...rest] = text.split(':');
  const role = memberRoles.find((name) => name === given);
  return role && rest.length === 0 && z.uuid().safeParse(workspaceId).success
    ? { workspaceId, role }
    : undefined;
}

const isLoopback = (hostname: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

const issuer = z.url({ protocol: /^https?$/ }).refine((text) => {
  const { protocol, hostname, search, hash } = new URL(text);
  return (protocol === 'https:' || isLoopback(hostname)) && search === '' && hash === '';
}, 'must start with https://; http:// is only for localhost');

export const oidcSettings = {
  STENO_OIDC_ISSUER: z
    .union([z.literal(''), issuer])
    .default('')
    .describe(
      'OpenID provider with which people sign in, such as `https://sso.example.org/realms/main`. It must offer `/.well-known/openid-configuration`.',
    ),
  STENO_OIDC_CLIENT_ID: z.string().default('').describe('Name of this server at the provider.'),
  STENO_OIDC_CLIENT_SECRET: z
    .string()
    .default('')
    .describe('Secret of this server at the provider. Leave it empty for a public client.'),
  STENO_OIDC_NAME: z
    .string()
    .max(60)
    .default('')
    .describe('What people call the provider, for the button of the sign-in page. If empty, its host.'),
  STENO_OIDC_SCOPES: z
    .string()
    .default('openid email profile')
    .describe('Scopes to ask the provider for, separated by spaces.'),
  STENO_OIDC_GROUPS_CLAIM: z
    .string()
    .default('groups')
    .describe('Claim with the groups of a person, such as groups or roles.'),
  STENO_OIDC_GROUPS: groupList
    .prefault('')
    .describe(
      'Groups of the provider whose members may come in and get an account, comma-separated. If empty, STENO_SIGNUP decides who gets an account.',
    ),
  STENO_OIDC_PLANS: groupTable('staff=business,guests=free', plan)
    .prefault('')
    .describe('Plans by group, such as staff=business,guests=free. The first that fits counts.'),
  STENO_OIDC_OPERATORS: groupList
    .prefault('')
    .describe('Groups whose members are operators, comma-separated.'),
  STENO_OIDC_WORKSPACES: groupTable('staff=WORKSPACE_ID,leads=WORKSPACE_ID:admin', membership)
    .prefault('')
    .describe(
      'Workspaces that members of a group join, such as staff=WORKSPACE_ID,leads=WORKSPACE_ID:admin.',
    ),
  STENO_SIGNIN: z
    .enum(['any', 'oidc'])
    .default('any')
    .describe(
      'How people sign in: any way, or only with the provider (oidc), which turns mailed codes and passkeys off. Links of the operator always work.',
    ),
};

export interface OidcSettings extends GroupRules {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  scopes: string;
  groupsClaim: string;
}

/** Null: there is no provider. `onProblem` gets a sentence for each pair of settings that do not fit. */
export function readOidc(
  values: z.output<z.ZodObject<typeof oidcSettings>>,
  onProblem: (message: string) => void,
): OidcSettings | null {
  const issuer = values.STENO_OIDC_ISSUER;
  if (issuer === '') {
    if (values.STENO_SIGNIN === 'oidc') onProblem('STENO_SIGNIN=oidc needs STENO_OIDC_ISSUER.');
    return null;
  }
  if (values.STENO_OIDC_CLIENT_ID === '') onProblem('STENO_OIDC_ISSUER needs STENO_OIDC_CLIENT_ID.');
  return {
    issuer,
    clientId: values.STENO_OIDC_CLIENT_ID,
    clientSecret: values.STENO_OIDC_CLIENT_SECRET,
    name: values.STENO_OIDC_NAME || new URL(issuer).host,
    scopes: values.STENO_OIDC_SCOPES,
    groupsClaim: values.STENO_OIDC_GROUPS_CLAIM,
    groups: values.STENO_OIDC_GROUPS,
    plans: values.STENO_OIDC_PLANS.map(({ group, value }) => ({ group, plan: value })),
    operators: values.STENO_OIDC_OPERATORS,
    workspaces: values.STENO_OIDC_WORKSPACES.map(({ group, value }) => ({ group, ...value })),
  };
}
