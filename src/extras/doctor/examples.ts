import type { CommandExamples, Examples } from '../../../test/example.ts'

export const examples: Examples = { getDoctor: {} }

export const commands: CommandExamples = {
  // The test database is not durable, and its clock differs.
  doctor: {
    run: ({ run }) => run('doctor --inside --except clock --except postgresql_durability'),
  },
}
