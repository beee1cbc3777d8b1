import type { Module } from '../../core/module/module.ts'
import { errors } from './problems.ts'
import { tables } from './tables.ts'

/**
 * An OpenID Provider for applications that sign people in, with PROVIDER=on: docs/applications.md.
 * oidc-provider speaks the protocol; storage, pages, sessions, keys, clients and limits are ours.
 * docs/adr/0101
 */
export const module: Module = {
  name: 'provider',
  requires: ['own-account'],
  tag: 'Applications',
  tables,
  eventCategory: 'applications',
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  settings: () => import('./settings.ts'),
  errors,
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  services: () => import('./services.ts'),
  authenticators: async () => {
    const [{ applicationsBeside }, { clientsByForm }] = await Promise.all([
      import('./application-tokens.ts'),
      import('./client-authentication.ts'),
    ])
    return ({ applications: { clientOfForm, isOn, tokens }, clients, config }, before) =>
      before.map((own) => {
        if (isOn && own.scheme === 'bearer') return applicationsBeside(own, tokens, config)
        return isOn && own.scheme === 'client' ? clientsByForm(own, clientOfForm, clients) : own
      })
  },
  routes: () => Promise.all([import('./protocol-routes.ts'), import('./admin-routes.ts')]),
  pages: () =>
    Promise.all([
      import('./authorize-routes.ts'),
      import('./interaction-routes.ts'),
      import('./device-routes.ts'),
      import('./end-session-routes.ts'),
      import('./account-page.ts'),
    ]),
  jobs: ({ applications, asyncCommitDb, clock }) => [
    ...(applications.isOn
      ? [
          { name: 'sign-outs of applications', everyMs: 1000, run: applications.signOuts.run },
          { name: 'removed applications', everyMs: 60_000, run: applications.endRemoved },
        ]
      : []),
    {
      name: 'tokens of applications',
      async purge(batchSize) {
        const { purgeArtifacts } = await import('./store.ts')
        return purgeArtifacts(asyncCommitDb, clock.now(), batchSize)
      },
    },
  ],
}
