import type { Command, CommandCall } from '../command.ts'

/** Of the service as the settings make it; nothing of DATA_DIR is touched. */
export const commands: readonly Command[] = [
  {
    name: 'routes',
    summary: 'Shows every route: method, path, schemes, and the rule of who may call it',
    example: 'routes --json',
    async run(call) {
      const { routes } = await describe(call)
      if (call.values.json === true) return call.output.rows(routes.map((row) => ({ ...row })))
      const { describeRoutes } = await import('../../http/documents/route-table.ts')
      call.output.text(describeRoutes(routes))
    },
  },
  {
    name: 'openapi',
    summary: 'Prints the OpenAPI 3.1 document; with --json on one line',
    example: 'openapi > openapi.json',
    async run(call) {
      const { openapi } = await describe(call)
      call.output.result(openapi, JSON.stringify(openapi, null, 2))
    },
  },
]

async function describe(call: CommandCall) {
  const { describeService } = await import('../../documents.ts')
  return describeService(call.config, call.rooms)
}
