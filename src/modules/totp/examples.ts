import {
  belowBothAccounts,
  type Examples,
  present,
  presentWithCode,
} from '../../../test/example.ts'
import { beginEnrolment, enrolled } from '../../../test/factor.ts'

export const examples: Examples = {
  ...belowBothAccounts({
    beginTotp: { needs: 'fresh', bare: 401, make: (_, caller) => ({ json: present(caller) }) },
    confirmTotp: {
      ...{ needs: 'fresh', commit: 2, events: ['mfa_enrolled'] },
      make: async ({ app }, { who }) => {
        const code = await beginEnrolment(app, await app.session(who))
        return { json: { totp: code() } }
      },
    },
    removeTotp: {
      ...{ needs: 'factor', commit: 3, bare: 404, events: ['mfa_removed'] },
      make: (_, caller) => ({ json: presentWithCode(caller) }),
    },
    renewRecoveryCodes: {
      ...{ needs: 'factor', commit: 2, events: ['mfa_codes_renewed'] },
      make: (_, caller) => ({ json: presentWithCode(caller) }),
    },
  }),
  removeSecondFactor: {
    events: ['mfa_removed'],
    make: async ({ app, newName }) => {
      const { who } = await enrolled(app, newName())
      return { params: { username: who.username } }
    },
  },
}
