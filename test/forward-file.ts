import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterwards } from './afterwards.ts'

/** A file of forward authentication with these rules, or with this text, in a folder of its own. */
export function forwardFile(rules: readonly object[] | string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'forward.json')
  writeForward(path, rules)
  return path
}

/** Replaces the file as a whole. */
export function writeForward(path: string, rules: readonly object[] | string): void {
  const text = typeof rules === 'string' ? rules : JSON.stringify({ rules })
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
