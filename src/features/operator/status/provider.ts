import { clockToleranceSeconds } from '../../../domain/identity-provider.ts';
import { broken, type Check, ok, reasonOf, warning } from '../../../domain/status.ts';
import type { IdentityProvider } from '../../../engines/sign-in/oidc.ts';

const check = 'sign-in provider';

/** Whether people can sign in with the provider: it is found, is who we think, and its clock is ours. */
export async function checkProvider({
  issuer,
  inspect,
}: Pick<IdentityProvider, 'issuer' | 'inspect'>): Promise<Check> {
  try {
    const { offersPkce, aheadSeconds } = await inspect();
    const pkce = offersPkce ? 'offers PKCE' : 'does not say whether it offers PKCE';
    const clock = aheadSeconds === null ? '' : `, its clock differs by ${Math.abs(aheadSeconds)} s`;
    if (Math.abs(aheadSeconds ?? 0) > clockToleranceSeconds)
      return broken(
        check,
        `${issuer} answers${clock}`,
        'set the clock of this machine or of the provider, and use NTP to keep it right',
      );
    return offersPkce === false
      ? warning(
          check,
          `${issuer} answers, but does not offer PKCE with S256`,
          'allow PKCE with S256 for this client at the provider',
        )
      : ok(check, `${issuer} answers, ${pkce}${clock}`);
  } catch (cause) {
    return broken(
      check,
      `${issuer}: ${reasonOf(cause)}`,
      'check STENO_OIDC_ISSUER, letter by letter, and whether this machine reaches it (docs/sign-in.md)',
    );
  }
}
