import type { ForwardRule } from './forward-rule.ts'
import { shadowedRules } from './forward-shadows.ts'
import { folded } from './path-variants.ts'

/** Sorted indexes, because the first rule counts. */
interface Node {
  readonly at: number[]
  readonly below: number[]
  readonly children: Map<string, Node>
}

/** For one host, or for all its subdomains. */
export interface HostRules {
  /** As in the file, and decoded. */
  readonly exact: Node
  /** The same node if folding changes no path. */
  readonly folded: Node
  /** Path variants make no difference. */
  readonly isOfAnyPath: boolean
}

/** A search visits only rules of the path and its ancestors. */
export interface RulesIndex {
  of(host: string): readonly HostRules[]
}

interface Building {
  exact: Node
  folded: Node
  isOfAnyPath: boolean
  isFoldedAlready: boolean
}

const none: readonly HostRules[] = []

export function indexRules(rules: readonly ForwardRule[]): RulesIndex {
  const hosts = new Map<string, Building>()
  const shadowed = new Set(shadowedRules(rules).map(({ rule }) => rule))
  for (const [index, rule] of rules.entries()) {
    if (shadowed.has(rule.number)) continue
    for (const host of rule.hosts) {
      const building = hosts.get(host) ?? newHost()
      hosts.set(host, building)
      for (const path of rule.paths ?? ['/*']) place(building, path, index)
    }
  }
  const named = new Map<string, HostRules>()
  const below = new Map<string, HostRules>()
  for (const [host, { exact, folded, isOfAnyPath, isFoldedAlready }] of hosts) {
    const of = { exact, folded: isFoldedAlready ? exact : folded, isOfAnyPath }
    if (host.startsWith('*.')) below.set(host.slice(2), of)
    else named.set(host, of)
  }
  return {
    of(host) {
      const own = named.get(host)
      if (below.size === 0) return own ? [own] : none
      const found = own ? [own] : []
      for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
        const of = dot > 0 ? below.get(host.slice(dot + 1)) : undefined
        if (of) found.push(of)
      }
      return found
    },
  }
}

function newHost(): Building {
  return { exact: newNode(), folded: newNode(), isOfAnyPath: true, isFoldedAlready: true }
}

function newNode(): Node {
  return { at: [], below: [], children: new Map() }
}

function place(host: Building, path: string, index: number): void {
  const isBelow = path.endsWith('/*')
  const body = withUpperEscapes(isBelow ? path.slice(0, -2) : path)
  const paths = new Set([body, decodeURIComponent(body)])
  const foldedPaths = new Set([...paths].map(folded))
  if (path !== '/*') host.isOfAnyPath = false
  if (![...paths].every((one) => foldedPaths.has(one))) host.isFoldedAlready = false
  const list = isBelow ? 'below' : 'at'
  for (const one of paths) add(nodeOf(host.exact, one)[list], index)
  for (const one of foldedPaths) add(nodeOf(host.folded, one)[list], index)
}

/** Paths of a rule that differ in case or in the last slash share a node. */
function add(list: number[], index: number): void {
  if (list.at(-1) !== index) list.push(index)
}

function nodeOf(root: Node, path: string): Node {
  let node = root
  for (const segment of withoutEndSlash(path).split('/').slice(1)) {
    const next = node.children.get(segment) ?? newNode()
    node.children.set(segment, next)
    node = next
  }
  return node
}

/** Applications redirect between both forms. */
function withoutEndSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}

/** RFC 3986 section 6.2.2.1 */
export function withUpperEscapes(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (digits) => digits.toUpperCase())
}

/**
 * Index of the first matching rule along a path; `bound` if no earlier rule matches. Calls
 * `matches` in file order within each node.
 */
export function firstOnWay(
  root: Node,
  path: string,
  bound: number,
  matches: (index: number) => boolean,
): number {
  let node: Node | undefined = root
  let first = bound
  const end = path.endsWith('/') ? path.length - 1 : path.length
  // No splitting: runs at each request.
  for (let start = 1; node; ) {
    first = firstIn(node.below, first, matches)
    if (start > end) return firstIn(node.at, first, matches)
    const slash = path.indexOf('/', start)
    const stop = slash === -1 ? end : slash
    node = node.children.get(path.slice(start, stop))
    start = stop + 1
  }
  return first
}

function firstIn(
  list: readonly number[],
  bound: number,
  matches: (index: number) => boolean,
): number {
  for (const index of list) {
    if (index >= bound) return bound
    if (matches(index)) return index
  }
  return bound
}
