import { Secret } from '../crypto/secret.ts'
import { languages } from '../lib/languages.ts'
import { canonicalUsername } from '../lib/username.ts'
import type { RoleName } from '../policy/principal.ts'
import { integer, list, oneOf, optional, type Setting, text } from './kinds.ts'
import { parseMailDomain, parseMailServer, parseSender } from './mail.ts'
import { parseNamedRole } from './oidc-settings.ts'
import { parseReturnOrigin } from './return-origins.ts'

export { type Language, languages } from '../lib/languages.ts'

/** The cookie that binds flows of pages to their browser; the session cookie cannot have this name. */
export const pageCookieName = '__Host-flow'
/**
 * The cookies at the host of an application behind a proxy: of its session there, and of the browser.
 * A host of BASE_URL may be the one of an application too, so the session cookie cannot have these names.
 */
export const hostSessionCookieName = '__Host-gatehouse'
export const hostBrowserCookieName = '__Host-gatehouse-browser'

const day = 86_400

/** The settings of mail, of sign-up and recovery, and of the pages. */
export const peopleSettings = {
  SMTP_URL: {
    ...optional({
      doc: 'The mail server that takes all mail: `smtp://user:password@host:587` with STARTTLS, which the server must offer, `smtps://host:465`, or `smtp+insecure://` on a loopback address. Without it, development writes `.eml` files to `DATA_DIR/mail`, and production sends no mail and leaves out what needs it. docs/mail.md',
      parse: (value) => {
        parseMailServer(value)
        return new Secret(value)
      },
    }),
    secret: true,
  },
  MAIL_FROM: optional({
    doc: 'Who mail is from: `Name <name@example.org>`. Required with SMTP_URL.',
    parse: parseSender,
  }),
  MAIL_REPLY_TO: optional({
    doc: 'Where answers to mail go, if not to MAIL_FROM.',
    parse: parseSender,
  }),
  MAIL_HELO_NAME: optional({
    shown: 'the host of `BASE_URL`',
    doc: 'The name by which the service greets the mail server.',
    parse: parseMailDomain,
  }),
  MAIL_CA_FILE: optional({
    doc: 'A file with the authority that has signed the certificate of the mail server, PEM, for one that no public authority has signed.',
    parse: (value) => value,
  }),
  MAIL_REQUESTS_PER_CLIENT: integer({
    default: 20,
    min: 0,
    doc: 'How many mails one client address may ask for in an hour, to any addresses, before it gets 429; 0: any number.',
  }),
  MAIL_PER_MINUTE: integer({
    default: 120,
    min: 0,
    doc: 'How many mails go to the mail server in a minute; more of them wait, and notices do not count. An eighth each is kept for sign-ins, resets, verifications and sign-ups. 0: any number.',
  }),
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
    doc: 'Usernames that no one may choose at a sign-up, an invitation or a sign-up through a provider, comma-separated and compared in canonical form, in addition to those that always are: the mailboxes of RFC 2142, `root`, `admin`, `administrator`, `service`, `system`, `gatehouse` and `PAGES_NAME`. An administrator and the command line may give them. docs/sign-up.md',
    parse: (item) => {
      const name = canonicalUsername(item)
      if (name === null) throw new Error(`holds ${JSON.stringify(item)}, which is no username`)
      return name
    },
  }),
  SIGN_IN_BY_MAIL: oneOf({
    default: 'off',
    values: ['off', 'on'],
    doc: 'Whether a link or a code that is mailed to the verified address of an account signs in, in place of the password. It is never a second factor.',
  }),
  SIGN_IN_CODE_SECONDS: integer({
    default: 600,
    min: 60,
    max: 600,
    doc: 'Life of a mailed code or link that signs in. Seconds.',
  }),
  RESET_SECONDS: integer({
    default: 1800,
    min: 300,
    max: day,
    doc: 'Life of a link that resets a password. Seconds.',
  }),
  VERIFICATION_SECONDS: integer({
    default: day,
    min: 600,
    max: 7 * day,
    doc: 'Life of a link that verifies a mail address, at sign-up as well. Seconds.',
  }),
  EMAIL_CHANGE_SECONDS: integer({
    default: 3600,
    min: 300,
    max: day,
    doc: 'Life of a link that confirms another mail address of an account. Seconds.',
  }),
  INVITATION_SECONDS: integer({
    default: 7 * day,
    min: 3600,
    max: 30 * day,
    doc: 'Life of an invitation. Seconds.',
  }),
  ACCOUNT_DELETION_DAYS: integer({
    default: 7,
    min: 0,
    max: 3650,
    doc: 'How many days an account waits after its owner has deleted it; a link that is mailed to the owner cancels the deletion. 0: it is erased at once, as it is without mail or without a verified address. docs/personal-data.md',
  }),
  RETURN_ORIGINS: list({
    doc: 'Origins of your applications to which the pages may return after a sign-in, comma-separated and exact: `https://app.example.org`. The hosts of `FORWARD_AUTH_FILE` need no place here.',
    parse: parseReturnOrigin,
  }),
  PAGES_NAME: text({
    default: 'Gatehouse',
    doc: 'The name of your service on pages and in mail: at most 60 characters.',
    check: (value) => {
      if ([...value].length > 60 || /\p{Cc}/u.test(value)) {
        throw new Error('must be at most 60 characters, on one line')
      }
    },
  }),
  PAGES_COLOR: optional({
    doc: 'The colour of buttons and links: `#rrggbb`. docs/pages.md',
    parse: (value) => {
      if (!/^#[0-9a-f]{6}$/i.test(value)) throw new Error('must be a colour like #1a5fb4')
      return value.toLowerCase()
    },
  }),
  PAGES_LOGO_FILE: optional({
    doc: 'A file with your logo, SVG or PNG, at most 64 KiB.',
    parse: (value) => value,
  }),
  PAGES_LANGUAGE: oneOf({
    default: 'en',
    values: languages,
    doc: 'The language of pages and mail for a person who asks for none that there is.',
  }),
  PAGES_TEXTS_FILE: optional({
    doc: 'A JSON file with texts of your own, and links such as those to an imprint. docs/pages.md',
    parse: (value) => value,
  }),
} satisfies Record<string, Setting<unknown>>
