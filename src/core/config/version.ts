import { readFileSync } from 'node:fs'

/** package.json is two folders up, also when compiled. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return String(JSON.parse(text).version)
}
