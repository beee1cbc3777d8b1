import { parseAst } from 'rolldown/parseAst'

/** One small fault: the text from `start` to `end` becomes `text`. Offsets in the source. */
export interface Mutant {
  readonly start: number
  readonly end: number
  readonly text: string
  /** What can be chosen as a whole when the program runs: an expression or a statement. */
  readonly whole: { readonly start: number; readonly end: number; readonly isStatement: boolean }
}

export interface NumberedMutant extends Mutant {
  /** As the processes number them: through all files, in their order. */
  readonly id: number
  /** From the root of the project. */
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly lastLine: number
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** `node` becomes `text`; chosen with the whole of it. */
interface Change {
  readonly node: Node
  readonly text: string
  readonly whole?: Node
}

const opposites = new Map(
  Object.entries({
    ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
    ...{ '===': '!==', '!==': '===', '+': '-', '-': '+', '*': '/', '/': '*' },
  }),
)
/** Methods whose call narrows or orders what it is called on. */
const narrowing = [
  ...['where', 'filter', 'orderBy', 'limit', 'offset', 'slice', 'toSorted', 'trim'],
  ...['toLowerCase', 'forUpdate', 'forNoKeyUpdate'],
]
const twins = new Map(Object.entries({ every: 'some', some: 'every', min: 'max', max: 'min' }))
/** Nodes of TypeScript that hold code; the others hold types. */
const withCode = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']

/** All mutants of a source, in the order of their places. */
export function mutantsOf(source: string): Mutant[] {
  const mutants: Mutant[] = []
  const textOf = ({ start, end }: Node) => source.slice(start, end)
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node, undefined, (node, chain) => {
    for (const { node: changed, text, whole = changed } of changesOf(node, textOf)) {
      if (text === textOf(changed)) continue
      const isStatement = whole.type === 'ExpressionStatement'
      const { start, end } = whole === node && chain ? chain : whole
      const { start: from, end: to } = changed
      mutants.push({ start: from, end: to, text, whole: { start, end, isStatement } })
    }
  })
  return mutants.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

function changesOf(node: Node, textOf: (node: Node) => string): Change[] {
  const part = (name: string) => node[name] as Node
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return [
        { node: part('test'), text: 'true' },
        { node: part('test'), text: 'false' },
      ]
    case 'WhileStatement':
      return [{ node: part('test'), text: 'false' }]
    case 'LogicalExpression': {
      const [left, right] = [part('left'), part('right')].map((side) => textOf(side))
      const changes = [{ node, text: `(${right})` }]
      // TypeScript asks for a default where the code knows that there is a value.
      return isEmptyDefault(right ?? '') ? changes : [{ node, text: `(${left})` }, ...changes]
    }
    case 'BinaryExpression': {
      const opposite = opposites.get(String(node.operator))
      if (opposite === undefined) return []
      return [{ node, text: `(${textOf(part('left'))} ${opposite} ${textOf(part('right'))})` }]
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [{ node, text: `(${textOf(part('argument'))})` }] : []
    case 'ExpressionStatement':
      return part('expression').type === 'Literal' ? [] : [{ node, text: ';' }]
    case 'Literal':
      if (typeof node.value === 'boolean') return [{ node, text: String(!node.value) }]
      return typeof node.value === 'number' ? [{ node, text: String(node.value + 1) }] : []
    case 'CallExpression':
      return ofCall(part('callee'), node, textOf)
    default:
      return []
  }
}

function isEmptyDefault(text: string): boolean {
  return ['{}', '[]', "''", '0', 'null', 'undefined'].includes(text)
}

function ofCall(callee: Node, call: Node, textOf: (node: Node) => string): Change[] {
  if (callee.type !== 'MemberExpression' || callee.computed === true) return []
  const [object, property] = [callee.object as Node, callee.property as Node]
  const name = textOf(property)
  const twin = twins.get(name)
  if (twin !== undefined) return [{ node: property, text: twin, whole: call }]
  return narrowing.includes(name) ? [{ node: call, text: textOf(object) }] : []
}

/** `chain`: the optional chain (`a?.b.c()`) whose next link the node is; a part of it is no whole. */
function visit(
  node: Node,
  chain: Node | undefined,
  found: (node: Node, chain: Node | undefined) => void,
): void {
  if (node.type === 'ImportDeclaration') return
  if (node.type.startsWith('TS') && !withCode.includes(node.type)) return
  found(node, chain)
  const inner = node.type === 'ChainExpression' ? node : chain
  for (const [name, value] of Object.entries(node)) {
    if (name === 'key' && node.computed === false) continue
    const isLink = name === 'expression' || name === 'callee' || name === 'object'
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit(child, isLink ? inner : undefined, found)
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
