import {
  belowBothAccounts,
  type Caller,
  type Examples,
  present,
  presentWithCode,
} from '../../../test/example.ts'
import { beginEnrolment, type Device, presentWithTotp } from '../../../test/factor.ts'

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
      { events: ['mfa_removed'], make: presentWithTotp },
    ],
  }),
}
