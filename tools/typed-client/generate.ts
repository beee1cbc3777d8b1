import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const document = join(root, 'docs/openapi.json')
/** Of the console, and of the package for other programs. */
const places = ['web/console/api', 'packages/client/src'].map((folder) =>
  join(root, folder, 'openapi.d.ts'),
)

/**
 * Writes the types of the API, made from docs/openapi.json as a client's author makes them, unless
 * they are newer than the document. Only the compiler reads them, so they are not checked in. The
 * script stands in a package of its own because the generator needs TypeScript 5 as a library.
 */
export async function writeClientTypes(): Promise<void> {
  if (places.every((place) => changedAt(place) > changedAt(document))) return
  const { default: generate, astToString } = await import('openapi-typescript') // takes a second
  const nodes = await generate(JSON.parse(readFileSync(document, 'utf8')))
  const types = `// Made from docs/openapi.json by openapi-typescript.\n\n${astToString(nodes)}`
  for (const place of places) {
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(`${place}-${process.pid}`, types)
    renameSync(`${place}-${process.pid}`, place) // a compiler beside it reads no half
  }
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

if (import.meta.main) await writeClientTypes()
