import type { Services } from '../src/core/module/services.ts'
import type { MessageFacts } from '../src/extras/mail/message-types.ts'
import { createSealedMail } from '../src/extras/mail/sealed-mail.ts'
import type { Someone, TestApp } from './app.ts'
import { mailRows } from './mail.ts'

type Facts = Partial<MessageFacts['locked' & keyof MessageFacts]> & Record<string, unknown>

/** A mail of the outbox that waits to be sent, as its worker reads it. */
export interface WaitingMail {
  readonly message: string
  readonly address: string
  readonly language: string
  readonly facts: Facts
}

/** The mails to an account that wait, in the order of their making. */
export async function waitingMails(
  app: TestApp,
  { keys }: Pick<Services, 'keys'>,
  { userId }: Pick<Someone, 'userId'>,
): Promise<WaitingMail[]> {
  const sealedMail = createSealedMail({ keys, random: app.deps.random })
  const rows = await mailRows(app)
  const keysOf = await sealedMail.keysOf(app.deps.db, rows)
  return rows
    .filter((row) => row.user_id === userId && row.state === 'waiting' && row.sealed !== null)
    .map((row) => {
      const opened = sealedMail.open(row.id, row.sealed ?? '', keysOf.get(row.id))
      return { message: row.message, ...opened, facts: opened.facts as Facts }
    })
}

/** The rows of notices of an account. */
export function noticeRows({ deps }: TestApp, { userId }: Pick<Someone, 'userId'>) {
  return deps.db
    .selectFrom('notices')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
}
