import { passwordOf } from '../../../test/app.ts'
import {
  belowBothAccounts,
  type CommandExamples,
  type CommandWorld,
  type Example,
  type Examples,
  type Make,
} from '../../../test/example.ts'

const newPassword = 'harbour violet 88 anthem'
const newOne: Make = async ({ newAccount }) => ({
  params: { username: (await newAccount()).username },
})
const changedBy = (json: object, ...events: string[]): Example => ({
  events,
  make: async (world, caller) => ({ ...(await newOne(world, caller)), json }),
})

export const examples: Examples = {
  ...belowBothAccounts({
    getOwnAccount: {},
    changeOwnPassword: {
      needs: 'fresh',
      events: ['authn_password_change'],
      make: (_, { who }) => ({
        json: { current_password: who.password, new_password: newPassword },
      }),
    },
  }),
  listAccounts: {},
  getAccount: { make: ({ owner }) => ({ params: { username: owner.username } }) },
  createAccount: {
    events: ['user_created'],
    make: ({ newName }) => {
      const username = newName()
      const user = { name: 'A', email: 'a@example.org' }
      return { json: { username, password: passwordOf(username), roles: ['USER'], ...user } }
    },
  },
  updateAccount: [
    changedBy({ roles: ['EDITOR'] }, 'privilege_permissions_changed'),
    changedBy({ locked: true, active: false }, 'privilege_permissions_changed'),
    changedBy({ password: newPassword }, 'authn_password_change'),
    changedBy({ must_change: true }, 'authz_admin'),
    changedBy(
      { roles: ['EDITOR'], password: newPassword, must_change: true },
      ...['privilege_permissions_changed', 'authn_password_change'],
    ),
    changedBy({}),
  ],
  deleteAccount: { events: ['authz_admin'], make: newOne },
  resetPassword: { events: ['authn_password_change'], make: newOne },
}

const ofNewOne =
  (words: string, more = '', stdin = '') =>
  async ({ run, newAccount }: CommandWorld) =>
    run(`account ${words} ${(await newAccount()).username} ${more}`, { stdin })
const permissions = (words: string, more?: string) => ({
  events: ['privilege_permissions_changed'],
  run: ofNewOne(words, more),
})

export const commands: CommandExamples = {
  'account add': {
    events: ['user_created'],
    run: ({ run, newName }) =>
      run(`account add ${newName()} --email a@example.org --password-stdin`, {
        stdin: `${newPassword}\n`,
      }),
  },
  'account list': {},
  'account show': { run: ofNewOne('show') },
  'account delete': { events: ['authz_admin'], run: ofNewOne('delete', '--yes') },
  'account roles': permissions('roles', 'EDITOR'),
  'account lock': permissions('lock'),
  'account unlock': permissions('unlock'),
  'account disable': permissions('disable'),
  'account enable': permissions('enable'),
  'account password': {
    events: ['authn_password_change'],
    run: ofNewOne('password', '--password-stdin', `${newPassword}\n`),
  },
  'account reset-factor': { events: ['mfa_removed'], run: ofNewOne('reset-factor') },
}
