import type { CommandExamples } from '../../../test/example.ts'

export const commands: CommandExamples = {
  verify: {
    async run({ app, run }) {
      const { url } = await app.listen()
      return run(`verify ${url} --profile read-only`)
    },
  },
}
