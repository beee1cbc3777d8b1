import type { CommandExamples, Examples } from '../../../test/example.ts'

export const examples: Examples = { getDoctor: {} }

export const commands: CommandExamples = {
  // The server of the tests keeps nothing through a crash, and their clock is not its clock.
  doctor: {
    run: ({ run }) => run('doctor --inside --except clock --except postgresql_durability'),
  },
}
