import { type CommandExamples, type Examples, type Make, present } from '../example.ts'

/** A note of the caller, who alone may lock it. */
const note =
  (json?: object): Make =>
  async ({ app }, { headers }) => {
    const { body } = await app.call('POST', '/api/notes', { headers, json: { text: 'milk' } })
    return { params: { id: body.id }, ...(json && { json }) }
  }

export const examples: Examples = {
  addNoteFactor: {
    ...{ needs: 'fresh', commit: 2, events: ['mfa_enrolled'] },
    make: (_, caller) => ({ json: { ...present(caller), name: 'Fridge', code: 'blue geese' } }),
  },
  'GET /account/badge': {},
  'POST /account/badge/make': {
    ...{ needs: 'fresh', events: ['note_badge_made'] },
    make: (_, caller) => ({ form: present(caller) }),
  },
  'POST /account/badge/remove': { needs: 'fresh', make: () => ({ form: {} }) },
  createNote: { events: ['note_written'], make: () => ({ json: { text: 'milk' } }) },
  getNote: { make: note() },
  updateNote: { events: ['note_written'], make: note({ text: 'tea' }) },
  lockNote: { events: ['note_written'], make: note() },
}

export const commands: CommandExamples = {
  'note key': { run: ({ run, owner }) => run(`note key ${owner.username}`) },
}
