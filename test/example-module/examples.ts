import type { CommandExamples, Examples, Make } from '../example.ts'

/** A note of the caller, who alone may lock it. */
const note =
  (json?: object): Make =>
  async ({ app }, { headers }) => {
    const { body } = await app.call('POST', '/api/notes', { headers, json: { text: 'milk' } })
    return { params: { id: body.id }, ...(json && { json }) }
  }

export const examples: Examples = {
  createNote: { events: ['note_written'], make: () => ({ json: { text: 'milk' } }) },
  getNote: { make: note() },
  updateNote: { events: ['note_written'], make: note({ text: 'tea' }) },
  lockNote: { events: ['note_written'], make: note() },
}

export const commands: CommandExamples = {
  'note key': { run: ({ run, owner }) => run(`note key ${owner.username}`) },
}
