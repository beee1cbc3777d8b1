import type { Module } from '../../core/module/module.ts'

/** Verified email addresses: change, confirmation and undo. docs/adr/0060, 0074 */
export const module: Module = {
  name: 'email-addresses',
  requires: ['mail'],
  eventCategory: 'emails',
  tag: 'Own account',
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  commands: [
    {
      rows: [
        {
          name: 'account email',
          operands: ['username', '[address]'],
          summary:
            'Shows the email addresses of an account, or sets the unverified one of its user',
        },
      ],
      load: () => import('./commands.ts'),
    },
  ],
  services: () => import('./services.ts'),
  routes: () =>
    Promise.all([
      import('./own-routes.ts'),
      import('./admin-routes.ts'),
      import('./public-routes.ts'),
    ]),
  pages: () => Promise.all([import('./pages/own-email.ts'), import('./pages/routes.ts')]),
}
