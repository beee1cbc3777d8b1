import { join } from 'node:path'
import type { Check } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks, OfflineContext } from '../../core/checks/context.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { isoTime } from '../../core/lib/clock.ts'
import { reasonOf } from '../../core/reason.ts'
import { readyAt } from './queue.ts'
import { knownRecipients, recipientOfFile } from './recipient-of-file.ts'
import { createTransport, mailFiles as filesIn, mailFolder } from './transport.ts'

// An operator waits.
const timeouts = { connect: 5000, greeting: 5000, silence: 5000, mail: 10_000 }

const mailServer: Check<OfflineContext> = {
  id: 'mail_server',
  level: 'error',
  passMessage: 'the mail server greets, speaks TLS and takes the login',
  why: {
    en: 'Links and codes for passwords and addresses wait, and after a while expire unsent.',
    de: 'Links und Codes für Passwörter und Adressen warten und laufen nach einer Weile ungesendet ab.',
  },
  mend: {
    do: {
      en: 'Correct host, port, user or password in SMTP_URL; MAIL_CA_FILE names an authority of your own.',
      de: 'Berichtigen Sie Host, Port, Benutzer oder Passwort in SMTP_URL; MAIL_CA_FILE nennt eine eigene Zertifizierungsstelle.',
    },
    setting: 'SMTP_URL=smtps://user:password@mail.example.org',
  },
  async find({ clock, config }) {
    if (!config.mail.server) return []
    const transport = createTransport({ config, clock, timeouts })
    try {
      const session = await transport?.open()
      session?.close()
      return []
    } catch (error) {
      return [
        {
          what: {
            en: `The mail server takes no mail: ${reasonOf(error)}.`,
            de: `Der Mailserver nimmt keine E-Mail an: ${reasonOf(error)}.`,
          },
        },
      ]
    }
  },
}

const lateMailMs = 3_600_000

const mailQueue: Check<InsideContext> = {
  id: 'mail_queue',
  level: 'warning',
  passMessage: 'mail that is due is sent within the hour',
  why: {
    en: 'Links and codes expire before they arrive.',
    de: 'Links und Codes laufen ab, bevor sie ankommen.',
  },
  mend: {
    do: {
      en: `\`${gatehouse} mail list --state waiting\` shows what the server answered.`,
      de: `\`${gatehouse} mail list --state waiting\` zeigt, was der Server geantwortet hat.`,
    },
    setting: `${gatehouse} mail list --state waiting`,
  },
  async find({ clock, config, db }) {
    if (!config.mail.isOn) return []
    const { count, since } = await dueMails(db, clock.now())
    if (since === null || clock.now() - since < lateMailMs) return []
    return [
      {
        what: {
          en: `${count} mails are due, the first since ${isoTime(since)}.`,
          de: `${count} E-Mails sind fällig, die erste seit ${isoTime(since)}.`,
        },
      },
    ]
  },
}

const dayMs = 86_400_000

const expiredMail: Check<InsideContext> = {
  id: 'mail_expired',
  level: 'warning',
  passMessage: 'no mail has expired unsent in the last day',
  why: {
    en: 'The person who asked for the link or the code never got it.',
    de: 'Die Person, die den Link oder den Code verlangt hat, hat ihn nie bekommen.',
  },
  mend: {
    do: {
      en: 'The list shows what the server answered. Without an answer, more mail was requested than MAIL_PER_MINUTE allows: raise the limit, or SIGN_UP=invitation if strangers flood the sign-up.',
      de: 'Die Liste zeigt, was der Server geantwortet hat. Ohne Antwort wurden mehr E-Mails verlangt, als MAIL_PER_MINUTE zulässt: Erhöhen Sie die Grenze, oder setzen Sie SIGN_UP=invitation, wenn Fremde die Registrierung überfluten.',
    },
    setting: `${gatehouse} mail list --state expired`,
  },
  async find({ clock, config, db }) {
    if (!config.mail.isOn) return []
    const expired = await expiredMails(db, clock.now() - dayMs)
    if (expired.length === 0) return []
    const each = expired.map(({ message, count }) => `${count} ${message}`).join(', ')
    return [
      {
        what: {
          en: `Mails have expired unsent in the last day: ${each}.`,
          de: `Am letzten Tag sind E-Mails ungesendet abgelaufen: ${each}.`,
        },
      },
    ]
  },
}

/** More than a service without a mail server keeps. */
const maxFiles = 1000

const mailFiles: Check<InsideContext> = {
  id: 'mail_files',
  level: 'warning',
  passMessage: 'DATA_DIR/mail has no mail to persons who are gone',
  why: {
    en: 'A service without SMTP_URL writes its mail there, with address, name and network address. An erasure removes the mail of the account and of the addresses that the service still knows; a node on another machine, or a version before 0.11.0, has left its files.',
    de: 'Ein Dienst ohne SMTP_URL schreibt seine E-Mails dorthin, mit Adresse, Name und Netzadresse. Eine Löschung entfernt die E-Mails des Kontos und der Adressen, die der Dienst noch kennt; ein Knoten auf einem anderen Rechner oder eine Version vor 0.11.0 hat seine Dateien zurückgelassen.',
  },
  mend: {
    do: {
      en: 'Delete the files, also in your copies of the folder.',
      de: 'Löschen Sie die Dateien, auch in Ihren Kopien des Ordners.',
    },
  },
  async find({ config, db }) {
    const folder = mailFolder(config)
    const files = (await filesIn(folder)).slice(0, maxFiles)
    const recipients = await Promise.all(files.map((file) => recipientOfFile(join(folder, file))))
    const keys = new Set(recipients.flatMap((recipient) => recipient ?? []))
    const known = await knownRecipients(db, [...keys])
    const left = recipients.filter(
      (recipient) => recipient !== null && !recipient.some((key) => known.has(key)),
    )
    if (left.length === 0) return []
    const count = left.length === 1 ? '1 file' : `${left.length} files`
    const what = {
      en: `${folder} has ${count} of mail to addresses that no user has: of persons who were erased, of earlier addresses, or of sign-ups that were not finished.`,
      de: `${folder} enthält ${left.length === 1 ? '1 Datei' : `${left.length} Dateien`} mit E-Mails an Adressen, die niemand hier hat: von gelöschten Personen, von früheren Adressen oder von Registrierungen, die nicht beendet wurden.`,
    }
    return [{ what, mend: { setting: `rm ${folder}/*.eml` } }]
  },
}

async function dueMails(
  db: DatabaseOrTransaction,
  now: number,
): Promise<{ count: number; since: number | null }> {
  const { count, since } = await db
    .selectFrom('mails')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min(readyAt).as('since')])
    .where('state', '=', 'waiting')
    .where(readyAt, '<=', now)
    .executeTakeFirstOrThrow()
  return { count: Number(count), since: since === null ? null : Number(since) }
}

async function expiredMails(
  db: DatabaseOrTransaction,
  since: number,
): Promise<{ message: string; count: number }[]> {
  const rows = await db
    .selectFrom('mails')
    .select((eb) => ['message', eb.fn.countAll<number>().as('count')])
    .where('finished_at', '>', since)
    .where('state', '=', 'expired')
    .groupBy('message')
    .orderBy('count', 'desc')
    .orderBy('message')
    .execute()
  return rows.map(({ message, count }) => ({ message, count: Number(count) }))
}

export const checks: ModuleChecks = {
  offline: [mailServer],
  inside: [mailQueue, expiredMail, mailFiles],
}
