import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../src/app.ts'
import { describeSettings, loadConfig } from '../src/config.ts'
import { createLog, systemDeps } from '../src/deps.ts'
import { describeAccess, describeRoutes } from '../src/http/route-table.ts'

const folder = join(import.meta.dirname, '../docs')

/** The generated documents, by file name. They are checked in; a test holds them to the code. */
export async function generateDocs(): Promise<Record<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'))
  try {
    const config = loadConfig({
      DATA_DIR: directory,
      ADMIN_PASSWORD: 'only for this moment',
      LOG_LEVEL: 'silent',
    })
    const { server, routes } = await buildApp({ ...systemDeps(config), log: createLog('silent') })
    const openapi = JSON.stringify(server.swagger(), null, 2)
    await server.close()
    return {
      'configuration.md': describeSettings(),
      'routes.txt': describeRoutes(routes()),
      'access.txt': describeAccess(routes()),
      'openapi.json': `${openapi}\n`,
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** What is checked in now; empty where a file is missing. */
export function readDoc(name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return ''
  }
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await generateDocs())) {
    writeFileSync(join(folder, name), text)
  }
}
