import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { databaseSettings } from '../../../test/database.ts'
import {
  type CommandExamples,
  type Example,
  type Examples,
  eventsIn,
} from '../../../test/example.ts'
import { startService } from '../../../tools/service.ts'

const groups = ['public', 'admin', 'editor', 'user']
const look: Example = { make: () => ({ params: { version: 0, file: 'look.css' } }) }

export const examples: Examples = {
  ...Object.fromEntries(
    groups.flatMap((group) => [`* /api/${group}`, `* /api/${group}/*`]).map((name) => [name, {}]),
  ),
  'GET /look/:version/:file': look,
  'GET /.gatehouse/look/:version/:file': look,
}

export const settings = () => ({ BRAND_COLOR: '#1a5fb4' })

export const commands: CommandExamples = {
  start: { events: ['user_created', 'sys_startup', 'sys_shutdown'], run: startAndStop },
  migrate: {},
  'config check': {},
  'config show': {},
  routes: {},
  openapi: {},
  help: {},
  completion: { run: ({ run }) => run('completion bash') },
}

async function startAndStop(): Promise<object[]> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const env = await databaseSettings(directory, { isEmpty: true })
  const service = await startService(
    [process.execPath, 'src/cli/main.ts', 'start'],
    { NODE_ENV: 'test', ADMIN_PASSWORD: 'harbour violet 88 anthem', ...env },
    directory,
  )
  after(() => service.remove())
  const code = await service.stop()
  if (code !== 0) throw new Error(`it ended with ${code}: ${service.output()}`)
  return eventsIn(service.output())
}
