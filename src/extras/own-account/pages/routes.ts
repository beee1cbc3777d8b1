import type { FastifyInstance } from 'fastify'
import { acceptForms } from '../../../core/http/bodies/bodies.ts'
import type { Needs } from '../../../core/module/services.ts'
import { confirmPages } from './confirm.ts'
import { overviewPages } from './overview.ts'
import { passkeyPages } from './passkeys.ts'
import { passwordPages } from './password.ts'
import { providersPages } from './providers.ts'
import { secondFactorPages } from './second-factor.ts'
import { sessionsPages } from './sessions.ts'

/** The same requirements as the JSON routes. */
export async function routes(app: FastifyInstance, needs: Needs): Promise<void> {
  acceptForms(app)
  await overviewPages(app, needs)
  await confirmPages(app, needs)
  await passwordPages(app, needs)
  await secondFactorPages(app, needs)
  await passkeyPages(app, needs)
  await sessionsPages(app, needs)
  await providersPages(app, needs)
}
