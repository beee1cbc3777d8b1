import { hook, service } from '../../core/module/service.ts'
import { mailsDetail } from './account-detail.ts'
import { eraseFiles } from './erased-files.ts'
import { createMailAdmin, type MailAdmin } from './mail-admin.ts'
import { createMailedProof } from './mailed-proof.ts'
import { createMailer, type Mailer } from './mailer.ts'
import { createNotices, type Notices } from './notices.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { sectionsOf } from './personal-data.ts'
import { createSealedMail } from './sealed-mail.ts'
import { outboxStore } from './store.ts'
import { mailFiles, mailFolder } from './transport.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly mailAdmin: MailAdmin
    readonly mailer: Mailer
    readonly notices: Notices
    readonly outbox: Outbox
  }
}

export const services = [
  service({
    needs: ['audit', 'keys'],
    makes: ['outbox'],
    create: (needs) => ({ outbox: createOutbox(needs) }),
  }),
  service({
    needs: ['confirmations', 'keys', 'outbox'],
    makes: ['notices'],
    create: (needs) => ({ notices: createNotices(needs) }),
  }),
  service({
    needs: ['keys', 'confirmations', 'outbox'],
    makes: ['mailer'],
    create: (needs) => ({ mailer: createMailer(needs) }),
  }),
  service({
    needs: ['keys', 'outbox'],
    makes: ['mailAdmin'],
    create: (needs) => ({ mailAdmin: createMailAdmin(needs) }),
  }),
]

export const hooks = [
  hook('accountDetail', ['mailAdmin'], mailsDetail),
  hook(
    'sentCode',
    ['accounts', 'confirmations', 'limits', 'loginAddress', 'outbox', 'requirements'],
    createMailedProof,
  ),
  hook('onEvent', ['notices'], ({ notices }) => ({
    wants: ({ notice }) => notice !== undefined,
    take: notices.sink,
  })),
  hook('onAccountEnded', [], ({ clock }) => async (trx, { userId, isRemoved }) => {
    if (isRemoved) await outboxStore(trx).forget(userId, clock.now())
  }),
  hook('onErasure', ['keys'], (needs) => {
    const erase = eraseFiles(needs)
    const { indexOf } = createSealedMail(needs)
    return async (trx, userId) => {
      const store = outboxStore(trx)
      const { address } = await store.recipient(userId)
      if (address) await store.forgetAddress(indexOf(address.key), needs.clock.now())
      await erase(trx, userId)
    }
  }),
  hook('filesOutside', [], ({ config }) => async () => {
    const folder = mailFolder(config)
    const { length: count } = await mailFiles(folder)
    return count === 0 ? null : { folder, count, nouns: ['mail', 'mails'] }
  }),
  hook('personSections', ['notices'], sectionsOf),
]
