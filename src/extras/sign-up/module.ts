import type { Module } from '../../core/module/module.ts'
import { invitationClosed, invitationNotFound, signUpOff } from './problems.ts'
import { tables } from './tables.ts'

/** /signup, /invitation, /api/public/sign-up, /api/public/invitation, /api/admin/invitations. */
export const module: Module = {
  name: 'sign-up',
  requires: ['email-addresses'],
  eventCategory: 'registration',
  tag: 'Administration of accounts',
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [signUpOff, invitationNotFound, invitationClosed],
  monitoring: () => import('./monitoring.ts'),
  commands: [
    {
      rows: [
        {
          name: 'invitation create',
          formerly: 'invite',
          operands: ['email'],
          summary: 'Invites a person by mail, who then chooses username and password',
        },
        { name: 'invitation list', summary: 'Shows all invitations, the newest first' },
        {
          name: 'invitation resend',
          operands: ['id'],
          summary: 'Mails an invitation again; an expired one begins anew',
        },
        {
          name: 'invitation revoke',
          operands: ['id'],
          summary: 'Revokes an invitation: its link counts no more',
        },
      ],
      load: () => import('./commands.ts'),
      settings: ['PAGES_LANGUAGE', 'SMTP_URL'],
    },
  ],
  services: () => import('./services.ts'),
  routes: () => Promise.all([import('./public-routes.ts'), import('./admin-routes.ts')]),
  pages: () => Promise.all([import('./pages/invitation/routes.ts'), import('./pages/routes.ts')]),
  jobs: ({ invitations }) => [{ name: 'ended invitations', purge: invitations.purge }],
}
