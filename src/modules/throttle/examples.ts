import type { CommandExamples, Examples } from '../../../test/example.ts'

export const examples: Examples = { getCaptcha: {} }

export const settings = () => ({ LOGIN_PROOF_OF_WORK_AFTER: '1000' })

export const commands: CommandExamples = {
  'throttle list': {},
  'throttle clear': {
    events: ['authz_admin'],
    run: async ({ app, run, newAccount }) => {
      const { username } = await newAccount()
      await app.call('POST', '/login', { json: { username, password: 'wrong' } })
      return run(`throttle clear ${username}`)
    },
  },
}
