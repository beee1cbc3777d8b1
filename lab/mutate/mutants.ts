import { parseAst } from 'rolldown/parseAst'

/** One small fault: the text from `start` to `end` becomes `text`. */
export interface Mutant {
  /** From 1. */
  readonly line: number
  /** Offsets in the source. */
  readonly start: number
  readonly end: number
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

type Change = readonly [node: Node, text: string]

const opposites: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '===': '!==', '!==': '===', '+': '-', '-': '+', '*': '/', '/': '*' },
}
/** Methods whose call narrows or orders what it is called on. */
const narrowing = [
  ...['where', 'filter', 'orderBy', 'limit', 'offset', 'slice', 'toSorted', 'trim'],
  ...['toLowerCase', 'forUpdate', 'forNoKeyUpdate'],
]
const twins: Readonly<Record<string, string>> = {
  ...{ every: 'some', some: 'every', min: 'max', max: 'min' },
}
/** Nodes of TypeScript that hold code; the others hold types. */
const withCode = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']

/** All mutants of a source, in the order of their places. */
export function mutantsOf(source: string): Mutant[] {
  const mutants: Mutant[] = []
  const textOf = ({ start, end }: Node) => source.slice(start, end)
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node, (node) => {
    for (const [{ start, end }, text] of changesOf(node, textOf)) {
      const line = source.slice(0, start).split('\n').length
      mutants.push({ line, start, end, text })
    }
  })
  return mutants.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

export function applied(source: string, { start, end, text }: Omit<Mutant, 'line'>): string {
  return `${source.slice(0, start)}${text}${source.slice(end)}`
}

function changesOf(node: Node, textOf: (node: Node) => string): Change[] {
  const part = (name: string) => node[name] as Node
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      return [
        [part('test'), 'true'],
        [part('test'), 'false'],
      ]
    case 'LogicalExpression':
      return [
        [node, `(${textOf(part('left'))})`],
        [node, `(${textOf(part('right'))})`],
      ]
    case 'BinaryExpression': {
      const opposite = opposites[String(node.operator)]
      if (opposite === undefined) return []
      return [[node, `(${textOf(part('left'))} ${opposite} ${textOf(part('right'))})`]]
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [[node, `(${textOf(part('argument'))})`]] : []
    case 'ExpressionStatement':
      return part('expression').type === 'Literal' ? [] : [[node, ';']]
    case 'Literal':
      if (typeof node.value === 'boolean') return [[node, String(!node.value)]]
      return typeof node.value === 'number' ? [[node, String(node.value + 1)]] : []
    case 'CallExpression':
      return ofCall(part('callee'), node, textOf)
    default:
      return []
  }
}

function ofCall(callee: Node, call: Node, textOf: (node: Node) => string): Change[] {
  if (callee.type !== 'MemberExpression' || callee.computed === true) return []
  const [object, property] = [callee.object as Node, callee.property as Node]
  const name = textOf(property)
  const twin = twins[name]
  if (twin !== undefined) return [[property, twin]]
  return narrowing.includes(name) ? [[call, textOf(object)]] : []
}

function visit(node: Node, found: (node: Node) => void): void {
  if (node.type === 'ImportDeclaration') return
  if (node.type.startsWith('TS') && !withCode.includes(node.type)) return
  found(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit(child, found)
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
