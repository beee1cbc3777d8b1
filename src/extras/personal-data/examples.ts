import {
  belowBothAccounts,
  type CommandExamples,
  type Example,
  type Examples,
  present,
} from '../../../test/example.ts'

const deletion: Example = { needs: 'fresh', events: ['user_deleted'] }

export const examples: Examples = {
  ...belowBothAccounts({
    exportOwnData: { events: ['sensitive_read'] },
    deleteOwnAccount: {
      ...deletion,
      make: (_, caller) => ({ json: { username: caller.who.username, ...present(caller) } }),
    },
  }),
  'GET /account/data': {},
  'GET /account/delete': {},
  'POST /account/delete': {
    ...deletion,
    make: (_, caller) => ({ form: { username: caller.who.username, ...present(caller) } }),
  },
}

export const commands: CommandExamples = {
  'account data': {
    events: ['sensitive_read'],
    run: async ({ run, newAccount }) => run(`account data ${(await newAccount()).username}`),
  },
  compact: {},
}
