import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import generate, { astToString } from 'openapi-typescript'

/**
 * The types of the API, made from an OpenAPI document as a client's author makes them. It stands in a
 * package of its own because the generator needs TypeScript 5 as a library.
 */
export async function clientTypes(openapi: string): Promise<string> {
  const nodes = await generate(JSON.parse(openapi))
  return `// Made from docs/openapi.json by openapi-typescript (npm run docs).\n\n${astToString(nodes)}`
}

const file = join(import.meta.dirname, '../../web/console/api/openapi.d.ts')

/** The types that are checked in. */
export function readTypes(): string {
  return readFileSync(file, 'utf8')
}

/** Replaces the types that are checked in. */
export function writeTypes(text: string): void {
  writeFileSync(file, text)
}
