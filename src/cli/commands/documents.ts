import type { CommandCall, CommandWork } from '../../core/cli/command.ts'

/** These commands do not use DATA_DIR. */
export const commands: readonly CommandWork[] = [
  {
    name: 'routes',
    example: 'routes --json',
    async run(call) {
      const { routes } = await describe(call)
      if (call.values.json === true) return call.output.rows(routes.map((row) => ({ ...row })))
      const { describeRoutes } = await import('../../core/http/documents/route-table.ts')
      call.output.text(describeRoutes(routes))
    },
  },
  {
    name: 'openapi',
    example: 'openapi > openapi.json',
    async run(call) {
      const { openapi } = await describe(call)
      call.output.result(openapi, JSON.stringify(openapi, null, 2))
    },
  },
]

async function describe(call: CommandCall) {
  const { describeService } = await import('../documents.ts')
  return describeService(call.config, call.modules)
}
