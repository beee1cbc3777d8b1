import type { Module } from '../../core/module/module.ts'

/** POST /login (spec 4.1), and administration of the throttle. */
export const module: Module = {
  name: 'login',
  tag: 'Sign in',
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  monitoring: () => import('./monitoring.ts'),
  commands: [
    {
      rows: [
        {
          name: 'throttle list',
          summary: 'Shows lockouts and limits that count failed logins, and until when they block',
        },
        {
          name: 'throttle clear',
          operands: ['[username]'],
          summary:
            'Forgets the failed logins of a username over all addresses, and ends its lockout; or those of an address',
        },
      ],
      load: () => import('./throttle-commands.ts'),
      settings: [
        'LOGIN_ATTEMPTS',
        'LOGIN_WINDOW_SECONDS',
        'LOGIN_IP_ATTEMPTS',
        'LOGIN_ADDRESS_WINDOW_SECONDS',
        'LOGIN_PROOF_OF_WORK_AFTER',
        'LOGIN_LOCK_AFTER',
      ],
    },
  ],
  services: () => import('./services.ts'),
  routes: () => Promise.all([import('./routes.ts'), import('./throttle-routes.ts')]),
}
