import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const document = join(import.meta.dirname, '../../docs/openapi.json')
export const typesOfApi = join(import.meta.dirname, '../../web/console/api/openapi.d.ts')

/**
 * Writes the types of the API, made from docs/openapi.json as a client's author makes them, unless
 * they are newer than the document. Only the compiler reads them, so they are not checked in. The
 * script stands in a package of its own because the generator needs TypeScript 5 as a library.
 */
export async function writeClientTypes(): Promise<void> {
  if (changedAt(typesOfApi) > changedAt(document)) return
  const { default: generate, astToString } = await import('openapi-typescript') // takes a second
  const nodes = await generate(JSON.parse(readFileSync(document, 'utf8')))
  writeFileSync(
    typesOfApi,
    `// Made from docs/openapi.json by openapi-typescript.\n\n${astToString(nodes)}`,
  )
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

if (import.meta.main) await writeClientTypes()
