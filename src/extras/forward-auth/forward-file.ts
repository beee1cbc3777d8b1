import type { Stats } from 'node:fs'
import { contains, parseAddressRange } from '../../core/addresses/address-ranges.ts'
import { readText } from '../../core/config/read-file.ts'
import { repeatedFields } from '../../core/config/repeated-fields.ts'
import type { Role } from '../../core/policy/principal.ts'
import { type ForwardRule, isObject, parseForwardRule, quoted } from './forward-rule.ts'
import { shadowedRules } from './forward-shadows.ts'

export interface ForwardReading {
  readonly rules: readonly ForwardRule[]
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

const setting = 'FORWARD_AUTH_FILE'
const maxBytes = 4_194_304
const maxRules = 10_000
const maxPairs = 200_000
// More have a common cause.
const maxTold = 1000

/**
 * Collects all mistakes. If `roles` is null, role names are not checked. `proxies`: of TRUST_PROXY.
 */
export function readForwardFile(
  path: string | undefined,
  roles: readonly Role[] | null,
  proxies: readonly string[],
): ForwardReading {
  if (path === undefined) return { rules: [], mistakes: [], warnings: [] }
  const file = readText(path, maxBytes)
  if ('mistake' in file) return refused([file.mistake])
  const { rules, mistakes } = parseForwardRules(file.text, roles)
  if (mistakes.length > 0) return refused(mistakes)
  const warnings = [
    ...(isWritable(file.stats) ? [`${path} can be changed by other users of this machine`] : []),
    ...(rules.length === 0 ? ['without a rule, every request is refused'] : []),
    ...rules.flatMap(wideHosts),
    ...rules.flatMap((rule) => networksOfProxies(rule, proxies)),
    ...shadowedRules(rules).map(
      ({ rule, by }) =>
        `rule ${rule} never matches: rule ${by} matches all that it does, before it`,
    ),
  ]
  return { rules, mistakes: [], warnings: warnings.map((line) => `${setting}: ${line}`) }
}

function refused(mistakes: readonly string[]): ForwardReading {
  const told = mistakes.slice(0, maxTold)
  const left = mistakes.length - told.length
  const lines = left > 0 ? [...told, `has ${left} mistakes more`] : told
  return { rules: [], mistakes: lines.map((line) => `${setting} ${line}`), warnings: [] }
}

/** The mistakes lack the setting's name. */
export function parseForwardRules(
  text: string,
  roles: readonly Role[] | null,
): Pick<ForwardReading, 'rules' | 'mistakes'> {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const [place] = String(error).match(/\(line \d+ column \d+\)$/) ?? []
    return { rules: [], mistakes: [['is not JSON', place].filter(Boolean).join(' ')] }
  }
  const { rules: list, $schema, ...others } = isObject(value) ? value : {}
  if (!Array.isArray(list)) {
    return { rules: [], mistakes: ['must be an object with a list "rules"'] }
  }
  const mistakes = [
    ...Object.keys(others).map((name) => `has an unknown field ${quoted(name)}`),
    ...repeatedFields(text).map(
      ({ name, line }) => `has the field ${quoted(name)} twice in one object (line ${line})`,
    ),
  ]
  if ($schema !== undefined && typeof $schema !== 'string')
    mistakes.push('has a "$schema" that is no text')
  if (list.length > maxRules) mistakes.push(`has more than ${maxRules} rules`)
  const rules: ForwardRule[] = []
  for (const [index, entry] of list.slice(0, maxRules).entries()) {
    const { rule, mistakes: own } = parseForwardRule(entry, index + 1, roles)
    mistakes.push(...own.map((mistake) => `rule ${index + 1} ${mistake}`))
    rules.push(rule)
  }
  const pairs = rules.reduce(
    (sum, { hosts, paths }) => sum + hosts.length * (paths?.length ?? 1),
    0,
  )
  if (pairs > maxPairs) mistakes.push(`has more than ${maxPairs} pairs of a host and a path`)
  return { rules: mistakes.length > 0 ? [] : rules, mistakes }
}

/**
 * Other users could grant themselves access. The group of another owner is trusted by that owner.
 */
function isWritable({ mode, uid }: Pick<Stats, 'mode' | 'uid'>): boolean {
  return (mode & (uid === process.getuid?.() ? 0o022 : 0o002)) !== 0
}

/** A visitor from an address that counts as a proxy's could send any X-Forwarded-For. */
function networksOfProxies(
  { networks, number }: ForwardRule,
  proxies: readonly string[],
): string[] {
  const trusted = proxies.map(parseAddressRange)
  return (networks ?? [])
    .filter((network) => trusted.some((proxy) => contains(proxy, parseAddressRange(network))))
    .map(
      (network) =>
        `rule ${number} has the network ${network}, which TRUST_PROXY counts as proxies: a visitor from there could name any address`,
    )
}

/** Browsers are redirected to any host of the rules. */
function wideHosts({ number, hosts }: ForwardRule): string[] {
  return hosts
    .filter((host) => /^\*\.[^.:]+(?::|$)/.test(host) && !host.startsWith('*.localhost'))
    .map((host) => `rule ${number} has the host ${host}: all hosts below must be yours`)
}
