import type { ApiError } from '../../src/core/errors.ts'
import { viewPage } from '../../src/core/http/pages/send-view.ts'
import type { Needs } from '../../src/core/module/services.ts'
import { authenticate } from '../../src/modules/authentication/attempt.ts'
import { identify } from '../../src/modules/pages/sign-in/identifier.ts'
import { deviceOf } from '../../src/modules/pages/sign-in/pipeline.ts'
import type { SignInAddition, TakeStep } from '../../src/modules/pages/sign-in/ways.ts'
import type { BadgeSignInView } from './views.ts'

type BadgeWayNeeds = Pick<Needs, 'accounts' | 'badges' | 'devices' | 'limits' | 'requirements'>

/** A way to sign in at /signin: a link on the first page, and a page for username and badge. */
export function badgeSignIn(deps: BadgeWayNeeds): SignInAddition {
  const { accounts, badges, limits, requirements } = deps
  return {
    link: ({ action, isOpen }) => (isOpen ? { name: 'badge', href: `${action}&by=badge` } : null),

    way(proceed) {
      const begin: TakeStep = async (flow, _request, by, field) => {
        const [typed, words] = [field('username'), field('badge')]
        const { names, account } = await identify(accounts, typed)
        const device = await deviceOf(deps, account?.userId ?? 0, by)
        const login = { ...names, address: by.address, device, isIncomplete: words === '' }
        const method = badges.method(account, words)
        const counted = { limits: { attempt: limits.attemptCode }, requirements }
        return authenticate(counted, { login, method }, (evidence, attempt) => {
          const { userId } = evidence.account
          return proceed(flow, evidence, attempt, {
            ...by,
            also: (trx) => badges.use(trx, userId, words),
          })
        })
      }
      return {
        field: 'username',
        isChosen: ({ by }) => by === 'badge',
        isBegun: ({ data, step }, field) =>
          step === 'password' && data.again === null && field('by') === 'badge',
        begin,
        first: ({ error, typed = '' }, form, options) =>
          viewPage(
            'sign-in-badge',
            { ...form, username: typed, problem: problemOf(error) },
            options,
          ),
      }
    },
  }
}

function problemOf(error: ApiError | undefined): BadgeSignInView['problem'] {
  if (!error) return null
  return error.status === 429 ? 'throttled' : 'wrong'
}
