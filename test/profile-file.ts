import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterwards } from './afterwards.ts'

/** A file of profile fields, in a folder of its own. */
export function profileFile(properties: object, required: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'profile.json')
  writeProfile(path, { properties, required })
  return path
}

/** Replaces the file as a whole. */
export function writeProfile(path: string, schema: object | string): void {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema)
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
