import {
  type AddressRange,
  overlap,
  parseAddressRange,
} from '../../core/addresses/address-ranges.ts'
import type { ForwardRule } from './forward-rule.ts'
import { maxNamedPaths } from './named-paths.ts'
import { folded, hasTooManyMarks, isAmbiguous, maxCharacters, variantsOf } from './path-variants.ts'
import { pathOf } from './request-line.ts'
import { firstOnWay, type HostRules, indexRules, withUpperEscapes } from './rules-index.ts'
import type { ForwardCaller, ForwardInput, Verdict } from './verdict.ts'

/** The first matching rule decides; without a match, denies. */
export interface Judge {
  judge(asked: ForwardInput, caller: ForwardCaller | null): Verdict
  /**
   * All interpretations with their rules, for an operator. Null if the path cannot be interpreted
   * safely.
   */
  readings(asked: ForwardInput, caller: ForwardCaller | null): readonly ReadingOfRequest[] | null
  hasHost(host: string): boolean
  looked(): number
}

export interface ReadingOfRequest {
  readonly path: string
  readonly method: string
  /** Case-insensitive; only if the case makes a difference. */
  readonly isFolded: boolean
  readonly rule: number | null
}

const noRule: Verdict = { policy: 'deny', rule: null, because: 'no_rule' }
const ambiguous: Verdict = { policy: 'deny', rule: null, because: 'ambiguous' }
const namedPath: Verdict = { policy: 'deny', rule: null, because: 'named_path' }
const anyPath: readonly string[] = ['/']

export function createJudge(rules: readonly ForwardRule[]): Judge {
  const index = indexRules(rules)
  const verdicts = rules.map(
    ({ acceptsAppPasswords, number, policy }): Verdict => ({
      ...{ policy, rule: number, because: 'rule' },
      ...(acceptsAppPasswords && { acceptsAppPasswords }),
    }),
  )
  const networks = rules.map((rule) => rule.networks?.map(parseAddressRange) ?? null)
  // Without a caller, each rule with roles or users matches. So a first match without them is final
  // for every caller.
  const identify = rules.map((rule, at): Verdict => {
    const { number } = rule
    const ofAll = asksWhich(rule) ? undefined : verdicts[at]
    return { policy: 'identify', rule: number, because: 'rule', ...(ofAll && { ofAll }) }
  })
  let looked = 0
  // Closures per request would cost more than the search.
  let method = ''
  let present: ForwardCaller | null = null
  let addressOf: ForwardInput['address'] = () => null
  /** Of this search; undefined: not asked for yet. */
  let visitor: AddressRange | null | undefined

  return {
    judge(asked, caller) {
      const found = search(asked, caller, null)
      if (typeof found !== 'number') return found
      const rule = rules[found]
      if (!rule) return noRule
      if (visitor === null && rule.networks !== null) {
        return { policy: 'deny', rule: rule.number, because: 'no_address' }
      }
      const asksWho =
        asksWhich(rule) || rule.policy === 'one_factor' || rule.policy === 'two_factor'
      return (caller === null && asksWho ? identify[found] : verdicts[found]) ?? noRule
    },

    readings(asked, caller) {
      const told: ReadingOfRequest[] = []
      search(asked, caller, told)
      return told.length > 0 ? told : null
    },

    hasHost: (host) => index.of(host).length > 0,
    looked: () => looked,
  }

  /**
   * Returns an index, `rules.length` for none, or a verdict if the interpretations disagree: no
   * spelling and no header may gain more access than the plain form.
   */
  function search(
    { address, host, methods, uri, named }: ForwardInput,
    caller: ForwardCaller | null,
    told: ReadingOfRequest[] | null,
  ): number | Verdict {
    const path = pathOf(uri)
    if (!uri.startsWith('/') || hasTooManyMarks(path)) return ambiguous
    const of = index.of(host)
    const isAnyPath = of.every(isOfAnyPath) && told === null
    const paths = isAnyPath ? anyPath : pathsOf(path)
    if (paths === null) return ambiguous
    present = caller
    addressOf = address
    visitor = undefined
    const rule = ruleOf(of, paths, methods, told)
    if (rule === null) return ambiguous
    if (told !== null || isAnyPath || named === undefined) return rule
    let characters = lengthOf(paths)
    for (const [at, { header, path }] of named.entries()) {
      const others = at < maxNamedPaths && !hasTooManyMarks(path) ? pathsOf(path) : null
      characters += lengthOf(others ?? [])
      const isJudged = others !== null && characters <= maxCharacters
      if (!isJudged || ruleOf(of, others, methods, null) !== rule) return { ...namedPath, header }
    }
    return rule
  }

  /**
   * Null if the interpretations match different rules. With `told`, records each interpretation and
   * returns the first rule.
   */
  function ruleOf(
    of: readonly HostRules[],
    paths: readonly string[],
    methods: readonly string[],
    told: ReadingOfRequest[] | null,
  ): number | null {
    let found: number | undefined
    for (const reading of paths) {
      for (const one of methods) {
        method = one === 'HEAD' ? 'GET' : one
        for (let pass = 0; pass < 2; pass += 1) {
          const lower = pass === 0 ? reading : folded(reading)
          if (pass === 1 && lower === reading && of.every(isFoldedAlready)) continue
          const rule = firstOf(of, pass === 0, lower)
          told?.push({
            path: lower,
            method: one,
            isFolded: pass === 1,
            rule: rules[rule]?.number ?? null,
          })
          found ??= rule
          if (found !== rule && told === null) return null
        }
      }
    }
    return found ?? rules.length
  }

  function firstOf(of: readonly HostRules[], isExact: boolean, path: string): number {
    let first = rules.length
    for (const host of of)
      first = firstOnWay(isExact ? host.exact : host.folded, path, first, matches)
    return first
  }

  function matches(at: number): boolean {
    looked += 1
    const rule = rules[at]
    if (!rule || (rule.methods !== null && !rule.methods.includes(method))) return false
    return isOfCaller(rule, present) && isOfNetwork(networks[at] ?? null)
  }

  /** Without an address the first rule with networks counts as a match, and its verdict refuses. */
  function isOfNetwork(ranges: readonly AddressRange[] | null): boolean {
    if (ranges === null) return true
    if (visitor === undefined) {
      const address = addressOf()
      visitor = address === null ? null : parseAddressRange(address)
    }
    const from = visitor
    return from === null || ranges.some((range) => overlap(range, from))
  }
}

function asksWhich({ roles, users }: ForwardRule): boolean {
  return roles !== null || users !== null
}

function isOfCaller({ roles, users }: ForwardRule, caller: ForwardCaller | null): boolean {
  if (caller === null) return true
  const isOfRole = roles === null || roles.some((role) => caller.roles.has(role))
  return isOfRole && (users === null || users.includes(caller.username))
}

function pathsOf(path: string): readonly string[] | null {
  if (!isAmbiguous(path)) return [path]
  return variantsOf(path)?.map(withUpperEscapes) ?? null
}

function lengthOf(paths: readonly string[]): number {
  return paths.reduce((sum, { length }) => sum + length, 0)
}

function isOfAnyPath(host: HostRules): boolean {
  return host.isOfAnyPath
}

function isFoldedAlready(host: HostRules): boolean {
  return host.folded === host.exact
}
