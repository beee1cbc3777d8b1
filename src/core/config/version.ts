import { readFileSync } from 'node:fs'

/** Reads the version from package.json, two folders up in the sources and when compiled. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return String(JSON.parse(text).version)
}
