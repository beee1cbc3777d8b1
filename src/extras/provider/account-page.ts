import { ApiError } from '../../core/errors.ts'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import {
  accountForm,
  accountPage,
  common,
  field,
  goOn,
  personOf,
  show,
} from '../own-account/pages/own-page.ts'
import { namedAccessesOf, withdraw } from './access.ts'
import { onlyIfOnForCaller } from './only-if-on.ts'

const path = '/account/applications'

/** The applications that have something of the account, and the end of their access. */
export async function routes(app: App, needs: Needs): Promise<void> {
  acceptForms(app)
  onlyIfOnForCaller(app, needs.applications)

  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(needs, request)
    const applications = await namedAccessesOf(needs, person.account.userId)
    const view = { ...common(request, person), applications }
    return show(reply, request, person, 'account-applications', view)
  })

  app.post(`${path}/withdraw`, accountForm(path), async (request, reply) => {
    const person = await personOf(needs, request)
    const client = field(request, 'client')
    const { userId } = person.account
    const isWithdrawn = await withdraw(needs, { userId, client }, reauthorize(request))
    if (!isWithdrawn) {
      throw new ApiError('routeNotFound', {
        reason: { code: 'application_unknown', facts: { client } },
      })
    }
    return goOn(reply, person, path, 'application_withdrawn')
  })
}
