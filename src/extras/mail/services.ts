import { hook, service } from '../../core/module/service.ts'
import { mailsDetail } from './account-detail.ts'
import { eraseFiles } from './erased-files.ts'
import { createMailAdmin, type MailAdmin } from './mail-admin.ts'
import { createMailedProof } from './mailed-proof.ts'
import { createMailer, type Mailer } from './mailer.ts'
import { createNotices, type Notices, noticeEvents } from './notices.ts'
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
    needs: ['audit', 'clock', 'config', 'keys', 'random'],
    makes: ['outbox'],
    create: (needs) => ({ outbox: createOutbox(needs) }),
  }),
  service({
    needs: ['asyncCommitDb', 'clock', 'config', 'db', 'confirmations', 'keys', 'outbox', 'random'],
    makes: ['notices'],
    create: (needs) => ({ notices: createNotices(needs) }),
  }),
  service({
    needs: [
      'asyncCommitDb',
      'clock',
      'config',
      'db',
      'events',
      'keys',
      'log',
      'random',
      'confirmations',
      'measurements',
      'outbox',
    ],
    makes: ['mailer'],
    create: (needs) => ({ mailer: createMailer(needs) }),
  }),
  service({
    needs: ['clock', 'db', 'keys', 'random', 'events', 'outbox'],
    makes: ['mailAdmin'],
    create: (needs) => ({ mailAdmin: createMailAdmin(needs) }),
  }),
]

export const hooks = [
  hook('accountDetail', ['mailAdmin'], mailsDetail),
  hook(
    'sentCode',
    ['accounts', 'config', 'confirmations', 'limits', 'loginAddress', 'outbox', 'requirements'],
    createMailedProof,
  ),
  hook('onEvent', ['notices'], ({ notices }) => ({ names: noticeEvents, take: notices.sink })),
  hook('onAccountEnded', ['clock'], ({ clock }) => async (trx, { userId, isRemoved }) => {
    if (isRemoved) await outboxStore(trx).forget(userId, clock.now())
  }),
  hook('onErasure', ['clock', 'keys', 'random', 'config', 'log'], (needs) => {
    const erase = eraseFiles(needs)
    const { indexOf } = createSealedMail(needs)
    return async (trx, userId) => {
      const store = outboxStore(trx)
      const { address } = await store.recipient(userId)
      if (address) await store.forgetAddress(indexOf(address.key), needs.clock.now())
      await erase(trx, userId)
    }
  }),
  hook('filesBeside', ['config'], ({ config }) => async () => {
    const folder = mailFolder(config)
    const { length: count } = await mailFiles(folder)
    return count === 0 ? null : { folder, count, nouns: ['mail', 'mails'] }
  }),
  hook('personSections', ['notices'], sectionsOf),
]
