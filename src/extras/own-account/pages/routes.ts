import type { FastifyInstance } from 'fastify'
import { acceptForms } from '../../../core/http/bodies/bodies.ts'
import { type ConfirmPageDeps, confirmPages } from './confirm.ts'
import { type OverviewDeps, overviewPages } from './overview.ts'
import { type PasswordPageDeps, passwordPages } from './password.ts'
import { type ProvidersPageDeps, providersPages } from './providers.ts'
import { type SecondFactorPageDeps, secondFactorPages } from './second-factor.ts'
import { type SessionsPageDeps, sessionsPages } from './sessions.ts'

export type AccountPagesDeps = OverviewDeps &
  ConfirmPageDeps &
  PasswordPageDeps &
  SecondFactorPageDeps &
  SessionsPageDeps &
  ProvidersPageDeps

/** The pages of the own account, which ask the same of their callers as the JSON routes do. */
export async function accountPages(app: FastifyInstance, deps: AccountPagesDeps): Promise<void> {
  acceptForms(app)
  await overviewPages(app, deps)
  await confirmPages(app, deps)
  await passwordPages(app, deps)
  await secondFactorPages(app, deps)
  await sessionsPages(app, deps)
  await providersPages(app, deps)
}
