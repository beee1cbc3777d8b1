import { type EmailAddress, parseEmail } from '../src/core/addresses/email.ts'
import { transact } from '../src/core/database/transactions.ts'
import { createServiceMaker } from '../src/core/module/make.ts'
import type { Services } from '../src/core/module/services.ts'
import { createMailer, type Mailer, type MailerDeps } from '../src/extras/mail/mailer.ts'
import type { MessageName } from '../src/extras/mail/message-types.ts'
import type { NewMail } from '../src/extras/mail/outbox.ts'
import { modules } from '../src/modules.ts'
import type { Someone, TestApp } from './app.ts'

/** The services of another node on the database of `app`, to which a test adds mail. */
export async function servicesOf({ deps }: TestApp): Promise<Services> {
  return (await createServiceMaker(deps, { modules })).all()
}

/** Adds a mail in a transaction of its own; answers its id. */
export function addMail<Name extends MessageName>(
  { deps }: TestApp,
  { outbox }: Pick<Services, 'outbox'>,
  mail: NewMail<Name>,
): Promise<string> {
  return transact(deps.db, [], (trx) => outbox.add(trx, mail))
}

/** A mail address that a test has written rightly. */
export function emailOf(text: string): EmailAddress {
  const parsed = parseEmail(text)
  if (!parsed) throw new Error(`${text} is no mail address`)
  return parsed
}

/** Gives an account a verified address, without the mail that verifies it. */
export async function verifyAddress(
  { deps }: TestApp,
  { userId }: Pick<Someone, 'userId'>,
  address: string,
  language: string | null = null,
): Promise<void> {
  const { address: verified_email, key: verified_email_key } = emailOf(address)
  await deps.db
    .updateTable('accounts')
    .set({
      verified_email,
      verified_email_key,
      email_verified_at: deps.clock.now(),
      language,
    })
    .where('user_id', '=', userId)
    .execute()
}

/** The rows of the outbox in the order of their making. */
export function mailRows({ deps }: TestApp) {
  return deps.db.selectFrom('mails').selectAll().orderBy('created_at').orderBy('id').execute()
}

/** The mailer of another process on the database of `app`, with time-outs that a test can wait for. */
export function mailerOf(
  { deps }: TestApp,
  services: Services,
  more: Partial<MailerDeps> = {},
): Mailer {
  return createMailer({ ...deps, ...services, timeouts: quickTimeouts, ...more })
}

const quickTimeouts = { connect: 2000, greeting: 2000, silence: 2000, mail: 4000 }
