import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeService } from '../src/cli/documents.ts'
import { allCommands } from '../src/core/cli/commands.ts'
import { describeCommands } from '../src/core/cli/help.ts'
import { describeSettings } from '../src/core/config/describe.ts'
import { loadConfig } from '../src/core/config/load.ts'
import { describeAccess, describeRoutes } from '../src/core/http/documents/route-table.ts'
import type { Module } from '../src/core/module/module.ts'
import { assertDistinctEvents, assertDistinctReasons } from '../src/core/module/registry.ts'
import { settingsOfModules } from '../src/core/module/settings.ts'
import {
  addedRequirements,
  describeRequirements,
} from '../src/modules/authentication/requirement-cells.ts'
import { modules as ours } from '../src/modules.ts'
import { describeColumns } from './column-tables.ts'
import { describeEvents } from './event-table.ts'
import { describeReasons } from './reason-table.ts'
import { writeClientTypes } from './typed-client/generate.ts'

const folder = join(import.meta.dirname, '../docs')

/**
 * The generated documents by file name. They are checked in; a test compares them with the code.
 */
export async function generateDocs(
  modules: readonly Module[] = ours,
): Promise<Record<string, string>> {
  const tables = await settingsOfModules(modules)
  const { routes, openapi } = await describeService(loadConfig({}, tables), modules)
  const ofModules = modules.flatMap(({ documents = {} }) => Object.entries(documents))
  const texts = ofModules.map(async ([name, make]) => [name, await make(readDoc(name), modules)])
  return {
    ...Object.fromEntries(await Promise.all(texts)),
    'command-line.md': describeCommands(await allCommands(modules)),
    'configuration.md': describeSettings(tables),
    'events.md': describeEvents(readDoc('events.md'), await assertDistinctEvents(modules)),
    'explain.md': describeReasons(readDoc('explain.md'), await assertDistinctReasons(modules)),
    'personal-data.md': describeColumns(readDoc('personal-data.md'), modules),
    'routes.txt': describeRoutes(routes),
    'access.txt': `${describeAccess(routes)}\n${describeRequirements(await addedRequirements(modules))}`,
    'openapi.json': `${JSON.stringify(openapi, null, 2)}\n`,
  }
}

/** The document that is checked in; empty if it is missing. */
export function readDoc(name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return ''
  }
}

if (import.meta.main) {
  const docs = await generateDocs()
  for (const [name, text] of Object.entries(docs)) writeFileSync(join(folder, name), text)
  await writeClientTypes()
}
