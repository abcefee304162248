import { invalid } from './errors.ts';

/** RFC 5321, 4.5.3.1: the longest address that fits into RCPT TO. */
export const maxEmailLength = 254;
const maxLocalLength = 64;

// Plain ASCII addresses only: no quoted local parts, no comments, and no line breaks that could add a header.
const emailForm =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$/;

/** The form in which an address is stored and compared. Raises `validation_error`. */
export function parseEmail(text: string): string {
  const email = text.toLowerCase();
  if (email.length > maxEmailLength || email.indexOf('@') > maxLocalLength || !emailForm.test(email))
    throw invalid('email must be an e-mail address like ada@example.org.');
  return email;
}

/** Who may create an account without the operator. */
export type SignUpRule =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open' }
  | { readonly kind: 'domains'; readonly domains: readonly string[] };

export function allowsSignUp(rule: SignUpRule, email: string): boolean {
  switch (rule.kind) {
    case 'closed':
      return false;
    case 'open':
      return true;
    case 'domains':
      return rule.domains.includes(email.slice(email.lastIndexOf('@') + 1));
  }
}
