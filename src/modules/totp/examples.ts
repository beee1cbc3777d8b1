import {
  belowBothAccounts,
  type Caller,
  type Examples,
  type Make,
  present,
  presentWithCode,
  type World,
} from '../../../test/example.ts'
import { beginEnrolment, enrolled } from '../../../test/factor.ts'
import { stepSeconds } from './totp.ts'

const withTotp: Make = ({ app }, caller) => {
  app.clock.advance(stepSeconds)
  return { json: { totp: caller.device?.code(), ...present(caller) } }
}

const begun = new WeakMap<Caller, ReturnType<typeof beginEnrolment>>()

/** The enrolment that a caller has begun: a second one would take its place. */
function enrolmentOf({ app }: World, caller: Caller) {
  const begin = async () => beginEnrolment(app, await app.session(caller.who))
  return begun.getOrInsertComputed(caller, begin)
}

export const examples: Examples = {
  ...belowBothAccounts({
    beginTotp: { make: (_, caller) => ({ json: present(caller) }) },
    confirmTotp: {
      ...{ needs: 'fresh', commit: 2, events: ['mfa_enrolled'] },
      make: async (world, caller) => {
        const code = await enrolmentOf(world, caller)
        return {
          // The code of the moment at which it is sent.
          get json() {
            return { totp: code() }
          },
        }
      },
    },
    removeTotp: [
      {
        ...{ needs: 'factor', commit: 3, bare: 404 },
        events: ['mfa_recovery_code_used', 'mfa_removed'],
        make: (_, caller) => ({ json: presentWithCode(caller) }),
      },
      { events: ['mfa_removed'], make: withTotp },
    ],
    renewRecoveryCodes: [
      {
        ...{ needs: 'factor', commit: 2, bare: 401 },
        events: ['mfa_recovery_code_used', 'mfa_codes_renewed'],
        make: (_, caller) => ({ json: presentWithCode(caller) }),
      },
      { events: ['mfa_codes_renewed'], make: withTotp },
    ],
  }),
  removeSecondFactor: {
    events: ['mfa_removed'],
    make: async ({ app, newName }) => {
      const { who } = await enrolled(app, newName())
      return { params: { username: who.username } }
    },
  },
}
