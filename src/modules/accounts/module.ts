import type { Module } from '../../core/module/module.ts'
import { userHasAccount } from './problems.ts'
import { tables } from './tables.ts'

/** Accounts and password login (spec 2.2, 3.4). */
export const module: Module = {
  name: 'accounts',
  tag: 'Administration of accounts',
  scopes: ['accounts:read', 'accounts:write', 'account:read'],
  tables,
  methods: [{ name: 'password', amr: ['pwd'] }],
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [userHasAccount],
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  commands: [
    {
      rows: [
        {
          name: 'account add',
          operands: ['username'],
          summary: 'Creates an account, for an existing user or with a new one',
        },
        {
          name: 'account list',
          summary: 'Shows all accounts, or those that the options select, by user id',
        },
        {
          name: 'account show',
          operands: ['username'],
          summary: 'Shows one account, with its user and what keeps it from a login',
        },
      ],
      load: () => import('./commands.ts'),
      settings: ['ROLES', 'PASSWORD_HASH', 'PASSWORD_MIN_LENGTH', 'PASSWORD_BREACH_URL'],
    },
    {
      rows: [
        {
          name: 'account roles',
          operands: ['username', 'role...'],
          summary: 'Gives an account these roles and no others; its access tokens end',
        },
        {
          name: 'account lock',
          operands: ['username'],
          summary: 'Locks an account until it is unlocked: no login succeeds, and all logins end',
        },
        {
          name: 'account unlock',
          operands: ['username'],
          summary: 'Unlocks an account, and ends its lockout after failed logins',
        },
        {
          name: 'account disable',
          operands: ['username'],
          summary: 'Disables an account; all its logins end',
        },
        {
          name: 'account enable',
          operands: ['username'],
          summary: 'Enables a disabled account',
        },
        {
          name: 'account password',
          operands: ['username'],
          summary: 'Sets a new password; all logins of the account end',
        },
        {
          name: 'account reset-factor',
          operands: ['username'],
          summary:
            'Removes the second factor of an owner who has lost device and codes; all logins end',
        },
        {
          name: 'account delete',
          operands: ['username'],
          summary: 'Deletes an account and keeps its user; all its logins end',
        },
      ],
      load: () => import('./change-commands.ts'),
      settings: ['ROLES', 'PASSWORD_HASH', 'PASSWORD_MIN_LENGTH', 'PASSWORD_BREACH_URL'],
    },
  ],
  services: () => import('./services.ts'),
  routes: () =>
    Promise.all([
      import('./own-routes.ts'),
      import('./admin-routes.ts'),
      import('./reset-routes.ts'),
    ]),
}
