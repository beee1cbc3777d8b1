import type { Module } from '../../core/module/module.ts'
import { mailClosed, mailNotFound, mailUnavailable } from './problems.ts'
import { tables } from './tables.ts'

const lookEveryMs = 100

/**
 * Outbox, SMTP, texts, and notices to account owners. Routes: /api/admin/mail,
 * /api/account/notices, /dev/mail. docs/notices.md
 */
export const module: Module = {
  name: 'mail',
  requires: ['one-time-tokens', 'own-account'],
  tag: 'Mail',
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [mailUnavailable, mailNotFound, mailClosed],
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
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
      load: () => import('./commands.ts'),
      settings: ['BASE_URL', 'BRAND_NAME', 'PAGES_LANGUAGE'],
    },
  ],
  services: () => import('./services.ts'),
  routes: () =>
    Promise.all([
      import('./notice-routes.ts'),
      import('./admin-routes.ts'),
      import('./preview-routes.ts'),
      import('./development-routes.ts'),
    ]),
  pages: () => import('./notices-page.ts'),
  jobs: ({ mailer, notices }) => [
    {
      name: 'mail',
      everyMs: lookEveryMs,
      inEachWorker: true,
      isIdle: mailer.isIdle,
      run: mailer.run,
    },
    { name: 'expired mail', purge: mailer.expire },
    { name: 'mail of 30 days ago', purge: mailer.purge },
    { name: 'notices', purge: notices.purge },
  ],
}
