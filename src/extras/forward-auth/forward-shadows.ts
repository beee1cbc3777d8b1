import { contains, parseAddressRange } from '../../core/addresses/address-ranges.ts'
import type { ForwardRule } from './forward-rule.ts'

/** Finds rules that never match because one earlier rule covers them. */
export function shadowedRules(
  rules: readonly ForwardRule[],
): { readonly rule: number; readonly by: number }[] {
  const placed = new Map<string, ForwardRule[]>()
  const shadowed: { rule: number; by: number }[] = []
  for (const rule of rules) {
    const [host = ''] = rule.hosts
    const [path = '/*'] = rule.paths ?? []
    // A covering rule covers the first pair: compare only such rules.
    const near = pairsAbove(host, path).flatMap((pair) => placed.get(pair) ?? [])
    const by = near.find((other) => covers(other, rule))
    if (by) {
      shadowed.push({ rule: rule.number, by: by.number })
      continue
    }
    for (const pair of pairsOf(rule)) {
      const at = placed.get(pair)
      if (at) at.push(rule)
      else placed.set(pair, [rule])
    }
  }
  return shadowed
}

function pairsOf({ hosts, paths }: ForwardRule): string[] {
  return hosts.flatMap((host) => (paths ?? ['/*']).map((path) => `${host} ${formOf(path)}`))
}

function pairsAbove(host: string, path: string): string[] {
  return hostsAbove(host).flatMap((one) => pathsAbove(path).map((other) => `${one} ${other}`))
}

function covers(first: ForwardRule, second: ForwardRule): boolean {
  const isAmong = (some: readonly string[] | null, all: readonly string[] | null) =>
    all === null || some?.every((item) => all.includes(item)) === true
  if (!isAmong(second.methods, first.methods) || !isAmong(second.roles, first.roles)) return false
  if (!isAmong(second.users, first.users) || !coversNetworks(first, second)) return false
  const hosts = new Set(first.hosts)
  if (!second.hosts.every((host) => hostsAbove(host).some((one) => hosts.has(one)))) return false
  if (first.paths === null) return true
  const paths = new Set(first.paths.map(formOf))
  return (second.paths ?? ['/*']).every((path) => pathsAbove(path).some((one) => paths.has(one)))
}

const everywhere = ['0.0.0.0/0', '::/0']

function coversNetworks(first: ForwardRule, second: ForwardRule): boolean {
  if (first.networks === null) return true
  const ranges = first.networks.map(parseAddressRange)
  return (second.networks ?? everywhere)
    .map(parseAddressRange)
    .every((one) => ranges.some((range) => contains(range, one)))
}

function hostsAbove(host: string): string[] {
  const [, name = '', port = ''] = host.match(/^(.*?)(:\d+)?$/) ?? []
  const labels = name.split('.')
  return [
    host,
    ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}${port}`),
  ]
}

function pathsAbove(path: string): string[] {
  const form = formOf(path)
  const segments = form.replace(/\/\*?$/, '').split('/')
  return [form, ...segments.map((_, index) => `${segments.slice(0, index + 1).join('/')}/*`)]
}

/** A path of another case is denied anyway. */
function formOf(path: string): string {
  return path.replace(/(?<=.)\/$/, '').toLowerCase()
}
