import {
  belowBothAccounts,
  type Caller,
  type Examples,
  type Make,
  present,
  presentWithCode,
} from '../../../test/example.ts'
import { beginEnrolment, type Device, enrolled } from '../../../test/factor.ts'
import { stepSeconds } from './totp.ts'

const withTotp: Make = ({ app }, caller) => {
  app.clock.advance(stepSeconds)
  return { json: { totp: caller.device?.code(), ...present(caller) } }
}

/** The caller's latest enrolment. */
export const enrolments = new WeakMap<Caller, Device['code']>()

export const examples: Examples = {
  ...belowBothAccounts({
    beginTotp: { make: (_, caller) => ({ json: present(caller) }) },
    confirmTotp: {
      ...{ needs: 'fresh', commit: 2, events: ['mfa_enrolled'] },
      make: async ({ app }, caller) => {
        if (!enrolments.has(caller)) {
          enrolments.set(caller, await beginEnrolment(app, await app.session(caller.who)))
        }
        return {
          // Computed when sent.
          get json() {
            return { totp: enrolments.get(caller)?.() }
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
