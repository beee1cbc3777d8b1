import {
  belowBothAccounts,
  type CommandExamples,
  type CommandWorld,
  type Examples,
  presentWithCode,
} from '../../../test/example.ts'
import { enrolled, presentWithTotp } from '../../../test/factor.ts'

export const examples: Examples = {
  ...belowBothAccounts({
    listOwnFactors: {},
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
  listFactors: { make: ({ owner }) => ({ params: { username: owner.username } }) },
  removeFactor: {
    events: ['mfa_removed'],
    make: async ({ app, newName }) => {
      const { who } = await enrolled(app, newName())
      return { params: { username: who.username, id: 'totp' } }
    },
  },
}

const ofOneWithFactor =
  (words: string, more = '') =>
  async ({ app, newName, run }: CommandWorld) => {
    const { who } = await enrolled(app, newName())
    return run(`factor ${words} ${who.username} ${more}`.trim())
  }

export const commands: CommandExamples = {
  'factor list': { run: ofOneWithFactor('list') },
  'factor remove': { events: ['mfa_removed'], run: ofOneWithFactor('remove', 'totp') },
}
