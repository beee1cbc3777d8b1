import type { Canaries } from './canaries.ts'
import type { Finding } from './checks.ts'

// C0, DEL, C1, line separators, changes of text direction: no terminal may get them.
const raw = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
const levels = new Set(['info', 'warn', 'error', 'critical', 'debug', 'trace'])
const keyFormat = /^[a-z][a-zA-Z0-9_]*$/

export function judgeLine(line: string, canaries: Canaries): Finding[] {
  const shown = line.slice(0, 300)
  const found = (text: string): Finding => ({
    kind: 'log',
    text: `${text}: ${JSON.stringify(shown)}`,
  })
  const secrets = canaries.within(line, 'log')
  const all = secrets.map(
    (secret): Finding => ({ kind: 'secret', text: `in the log: ${secret} in ${shown}` }),
  )
  const control = raw.exec(line)
  if (control) all.push(found(`a raw U+${control[0].charCodeAt(0).toString(16).padStart(4, '0')}`))
  const parsed = parse(line)
  if (parsed === null) return [...all, found('a line that is no JSON object')]
  const { level, time } = parsed
  if (typeof time !== 'string' || Number.isNaN(Date.parse(time))) all.push(found('no time'))
  // A critical event is a refusal for the operator; an error without an event is a failure of the
  // service.
  const isOurs = level === 'error' && (typeof parsed.event !== 'string' || 'err' in parsed)
  if (isOurs || !levels.has(String(level))) all.push(found(`level ${level}`))
  const names = Object.keys(parsed)
  const strange = names.find((name) => !keyFormat.test(name))
  if (strange !== undefined) all.push(found(`a field "${strange}"`))
  if (Object.values(parsed).some((value) => canaries.isCode(value))) {
    all.push({ kind: 'secret', text: `a code in the log: ${shown}` })
  }
  return all
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
