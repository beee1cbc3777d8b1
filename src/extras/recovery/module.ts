import type { Module } from '../../core/module/module.ts'
import { accountUnusable } from './problems.ts'

export const module: Module = {
  name: 'recovery',
  requires: ['email-addresses'],
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  errors: [accountUnusable],
  checks: () => import('./checks.ts'),
  commands: [
    {
      rows: [
        {
          name: 'account reset',
          operands: ['username'],
          summary: 'Mails the owner of an account a link that sets a new password',
        },
      ],
      load: () => import('./commands.ts'),
      settings: ['SMTP_URL', 'BASE_URL', 'PAGES_LANGUAGE'],
    },
  ],
  services: () => import('./services.ts'),
  routes: () => Promise.all([import('./public-routes.ts'), import('./admin-routes.ts')]),
  pages: () => import('./pages/routes.ts'),
}
