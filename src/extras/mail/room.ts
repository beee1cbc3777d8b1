import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'mail',
  tag: 'Mail',
  tables: [
    {
      name: 'mails',
      key: ['id'],
      sealed: ['sealed'],
      needsKeys: true,
      isLogin: true, // a restored one would be sent again
      person: { column: 'user_id', onDelete: 'set-null' },
    },
    {
      name: 'notices',
      key: ['id'],
      givesIds: true,
      sealed: ['sealed'],
      needsKeys: true,
      person: { column: 'user_id', onDelete: 'delete' },
    },
    {
      name: 'known_devices',
      key: ['user_id', 'device'],
      needsKeys: true,
      person: { column: 'user_id', onDelete: 'delete' },
    },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: ['mailNotFound', 'mailClosed', 'mailUnavailable'],
  settings: [
    'SMTP_URL',
    'MAIL_FROM',
    'MAIL_REPLY_TO',
    'MAIL_HELO_NAME',
    'MAIL_CA_FILE',
    'MAIL_REQUESTS_PER_CLIENT',
    'MAIL_PER_MINUTE',
  ],
  commands: [
    {
      rows: [
        {
          name: 'mail test',
          operands: ['address'],
          summary: 'Sends a mail to an address, and shows what the mail server answers',
        },
        { name: 'mail list', summary: 'Shows the mail of the last 30 days, the newest first' },
        {
          name: 'mail resend',
          operands: ['id'],
          summary: 'Has a mail sent at once that waits or was refused',
        },
        {
          name: 'mail cancel',
          operands: ['id'],
          summary: 'Withdraws a mail that was not sent yet',
        },
      ],
      file: fileBeside(import.meta.url, './commands'),
      settings: ['BASE_URL', 'PAGES_NAME', 'PAGES_LANGUAGE'],
    },
  ],
  personalData: async (needs) => (await import('./personal-data.ts')).sectionsOf(needs),
  onAccountEnded: async ({ clock }) => {
    const { outboxStore } = await import('./store.ts')
    return async (trx, { userId, isRemoved }) => {
      if (isRemoved) await outboxStore(trx).forget(userId, clock.now())
    }
  },
  onErasure: async (needs) => {
    const { outboxStore } = await import('./store.ts')
    const { createSealedMail } = await import('./sealed-mail.ts')
    const { eraseFiles } = await import('./erased-files.ts')
    const erase = eraseFiles(needs)
    const { indexOf } = createSealedMail(needs)
    return async (trx, userId) => {
      const store = outboxStore(trx)
      const { address } = await store.recipient(userId)
      if (address) await store.forgetAddress(indexOf(address.key), needs.clock.now())
      await erase(trx, userId)
    }
  },
  parts: () => import('./parts.ts'),
}
