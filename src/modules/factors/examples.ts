import { belowBothAccounts, type Examples, presentWithCode } from '../../../test/example.ts'
import { enrolled, presentWithTotp } from '../../../test/factor.ts'

export const examples: Examples = {
  ...belowBothAccounts({
    renewRecoveryCodes: [
      {
        ...{ needs: 'factor', commit: 2, bare: 401 },
        events: ['mfa_recovery_code_used', 'mfa_codes_renewed'],
        make: (_, caller) => ({ json: presentWithCode(caller) }),
      },
      { events: ['mfa_codes_renewed'], make: presentWithTotp },
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
