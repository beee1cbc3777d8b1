import { type CommandExamples, type Examples, inEachVersion } from '../../../test/example.ts'

const name = 'A'
const email = 'a@example.org'

export const examples: Examples = inEachVersion({
  listUsers: {},
  getUser: { make: ({ owner }) => ({ params: { id: owner.userId } }) },
  createUser: { events: ['user_created'], make: () => ({ json: { name, email } }) },
  updateUser: {
    events: ['user_updated'],
    make: ({ owner, newName }) => ({ params: { id: owner.userId }, json: { name: newName() } }),
  },
  deleteUser: {
    events: ['user_deleted'],
    make: async ({ newAccount }) => ({ params: { id: (await newAccount()).userId } }),
  },
})

export const commands: CommandExamples = {
  'user add': {
    events: ['user_created'],
    run: ({ run }) => run(`user add --name ${name} --email ${email}`),
  },
  'user list': {},
  'user delete': {
    events: ['user_deleted'],
    run: async ({ run, newAccount }) => run(`user delete ${(await newAccount()).userId} --yes`),
  },
}
