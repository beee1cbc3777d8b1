import type { CommandExamples, Examples } from '../../../test/example.ts'

export const examples: Examples = {
  explainRefusal: {
    events: ['sensitive_read'],
    make: async ({ app }) => {
      const { headers } = await app.call('GET', '/no/such')
      return { params: { id: String(headers['x-request-id']) } }
    },
  },
  // No transaction: read-only.
  explain: { events: ['sensitive_read'], commit: null, make: () => ({ json: { token: 'none' } }) },
}

export const commands: CommandExamples = {
  explain: {
    events: ['sensitive_read'],
    run: async ({ app, run }) => run('explain --token', { stdin: await app.token(app.admin) }),
  },
}
