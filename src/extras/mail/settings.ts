import { integer, optional, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading, SettingValues } from '../../core/config/load.ts'
import { baseUrlOf } from '../../core/config/settings.ts'
import { Secret } from '../../core/crypto/secret.ts'
import { parseMailDomain, parseMailServer, parseSender } from './mail-server.ts'

export const settings = {
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
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

/** Development writes files. */
export function hasMail({ NODE_ENV, SMTP_URL }: Pick<SettingValues, 'NODE_ENV' | 'SMTP_URL'>) {
  return SMTP_URL !== undefined || NODE_ENV !== 'production'
}

export function configure({ values }: Reading) {
  const { hostname } = new URL(baseUrlOf(values))
  const { MAIL_FROM: from, SMTP_URL } = values
  return {
    config: {
      mail: {
        /** Undefined: files in development, no mail in production. */
        server: SMTP_URL && parseMailServer(SMTP_URL.reveal()),
        from,
        replyTo: values.MAIL_REPLY_TO,
        heloName: values.MAIL_HELO_NAME ?? hostname,
        caFile: values.MAIL_CA_FILE,
        /** Per hour; 0: unlimited. */
        maxPerClient: values.MAIL_REQUESTS_PER_CLIENT,
        /** Excludes notices; 0: unlimited. */
        maxPerMinute: values.MAIL_PER_MINUTE,
        isOn: hasMail(values),
      },
    },
    mistakes: SMTP_URL && !from ? ['MAIL_FROM must be set with SMTP_URL'] : [],
    derived: { MAIL_HELO_NAME: hostname },
  }
}
