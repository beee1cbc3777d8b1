import { integer, list, oneOf, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Group, Reading } from '../../core/config/load.ts'
import { parseNamedRole, unknownRoleMistakes } from '../../core/config/roles.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import type { Role, RoleName } from '../../core/policy/principal.ts'
import type { ReservedUsernames } from '../../modules/accounts/settings.ts'
import { parseMailDomain } from '../mail/mail-server.ts'
import { hasMail } from '../mail/settings.ts'

const day = 86_400

export const settings = {
  SIGN_UP: oneOf({
    default: 'off',
    values: ['off', 'invitation', 'open'],
    doc: 'Who may make an account on the pages: no one, a person with an invitation, or anyone with a mail address. Needs mail.',
  }),
  SIGN_UP_ROLES: list<RoleName>({
    default: ['USER'],
    doc: 'The roles of an account that was made so; an invitation names its own.',
    parse: parseNamedRole,
  }),
  SIGN_UP_DOMAINS: list({
    doc: 'The domains of mail addresses that may sign up, comma-separated and exact; empty: all. Invitations go to any.',
    parse: parseMailDomain,
  }),
  RESERVED_USERNAMES: list({
    doc: 'Usernames that no one may choose at a sign-up, an invitation or a sign-up through a provider, comma-separated and compared in canonical form, in addition to those that always are: the mailboxes of RFC 2142, `root`, `admin`, `administrator`, `service`, `system`, `gatehouse` and `BRAND_NAME`. An administrator and the command line may give them. docs/sign-up.md',
    parse: (item) => {
      const name = canonicalUsername(item)
      if (name === null) throw new Error(`holds ${JSON.stringify(item)}, which is no username`)
      return name
    },
  }),
  INVITATION_SECONDS: integer({
    default: 7 * day,
    min: 3600,
    max: 30 * day,
    doc: 'Life of an invitation. Seconds.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
  interface Lifetimes extends Group<typeof configure, 'confirmations'> {}
}

export function configure(reading: Reading) {
  const { values } = reading
  const lacksMail = values.SIGN_UP !== 'off' && !hasMail(values)
  const reservedUsernames: ReservedUsernames = { 'sign-up': values.RESERVED_USERNAMES }
  return {
    config: {
      signUp: {
        mode: values.SIGN_UP,
        roles: values.SIGN_UP_ROLES as readonly Role[], // unknown roles are rejected
        domains: values.SIGN_UP_DOMAINS,
      },
      reservedUsernames,
      confirmations: { invitationSeconds: values.INVITATION_SECONDS },
    },
    mistakes: [
      ...(lacksMail ? ['SIGN_UP must be off without SMTP_URL'] : []),
      ...unknownRoleMistakes('SIGN_UP_ROLES', reading),
    ],
  }
}
