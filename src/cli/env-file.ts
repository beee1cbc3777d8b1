// Runs on Node 16 until the version is checked: see prepare.ts.
import { existsSync, readFileSync } from 'node:fs'
import util from 'node:util'

/** The scripts of package.json that read the file: what else runs here may be a test. */
const scripts = ['start', 'dev', 'gatehouse']
/** Of compose.yaml, which reads the same file. */
const ofOthers = ['DOMAIN']
const reasons = {
  NODE_ENV: 'production wants an environment of its own',
  MASTER_KEY: 'the key would lie beside the data that it protects',
}
const maxBytes = 1_048_576

type Environment = Record<string, string | undefined>

/**
 * Adds the settings of the file `.env` of the sources to the environment, which counts first. Not
 * in production. Returns mistakes, with which nothing is added.
 */
export function addEnvFile(env: Environment, path: string): readonly string[] {
  const isAsked = scripts.includes(env.npm_lifecycle_event ?? '') && !env.NODE_TEST_CONTEXT
  if (!isAsked || env.NODE_ENV === 'production' || !existsSync(path)) return []
  const text = textOf(path)
  if (text === null) return ['.env cannot be read: it must be a file of UTF-8, at most 1 MB']
  const settings = util.parseEnv(text)
  const mistakes = Object.entries(reasons).flatMap(([name, why]) =>
    settings[name] === undefined ? [] : [`.env may not have ${name}: ${why}`],
  )
  if (mistakes.length > 0) return mistakes
  for (const [name, value] of Object.entries(settings)) {
    if (!ofOthers.includes(name)) env[name] ??= value
  }
  return []
}

function textOf(path: string): string | null {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > maxBytes) return null
    return new util.TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
