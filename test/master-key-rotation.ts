import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, testApp } from './app.ts'

/** A new master key, as an operator makes one. */
export const newKey = () => randomBytes(32).toString('hex')

/** Writes the file of a key, for its owner alone. */
export const keep = (file: string, text: string) => writeFileSync(file, text, { mode: 0o600 })

/** A node whose master key is in a file of its own; on the database of another node, if one is given. */
export async function nodeWith(key: string, shared?: TestApp, name = 'one') {
  const directory = shared?.directory ?? mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const file = join(directory, `${name}.master`)
  keep(file, key)
  const env = { MASTER_KEY: '', MASTER_KEY_FILE: file }
  const options = shared ? { directory, clock: shared.clock, seed: 9 } : { directory }
  const app = await testApp(env, options)
  return { app, file, next: `${file}.next`, env }
}

/** A service whose next master key is there, and the settings of a command. */
export async function rotatingApp() {
  const { app, next, env } = await nodeWith(newKey())
  keep(next, newKey())
  return { ...app, env }
}
