import type { Mutant } from './mutants.ts'

/** The name of the function that the instrumented source asks whether it has a mutant now. */
export const hasMutantName = '__hasMutant'

interface Numbered extends Mutant {
  readonly id: number
}

/**
 * The source with all its mutants: the place of each asks the global function `__hasMutant` with the
 * number of the mutant, which is `firstId` and up, in the order given.
 */
export function instrumented(source: string, mutants: readonly Mutant[], firstId: number): string {
  const numbered = mutants.map((mutant, index) => ({ ...mutant, id: firstId + index }))
  // The outer of two places comes first; of a statement and its expression, the statement.
  const sorted = numbered.toSorted(
    ({ whole: a }, { whole: b }) =>
      a.start - b.start || b.end - a.end || Number(b.isStatement) - Number(a.isStatement),
  )
  return withChoices(source, 0, source.length, sorted)
}

function withChoices(source: string, start: number, end: number, sorted: Numbered[]): string {
  let [text, at, rest] = ['', start, sorted]
  while (rest[0]) {
    const { whole } = rest[0]
    const isSame = (other: Numbered) =>
      other.whole.start === whole.start &&
      other.whole.end === whole.end &&
      other.whole.isStatement === whole.isStatement
    const isWithin = (other: Numbered) => other.whole.end <= whole.end
    const [here, after] = partition(rest, isWithin)
    const [own, inner] = partition(here, isSame)
    const original = withChoices(source, whole.start, whole.end, inner)
    text += source.slice(at, whole.start) + choice(source, own, original)
    ;[at, rest] = [whole.end, after]
  }
  return text + source.slice(at, end)
}

function choice(source: string, mutants: Numbered[], original: string): string {
  const [first] = mutants
  if (first?.whole.isStatement) return `{if(!${hasMutantName}(${first.id})){${original}}}`
  const choices = mutants.map(({ id, start, end, text, whole }) => {
    const changed = source.slice(whole.start, start) + text + source.slice(end, whole.end)
    return `${hasMutantName}(${id})?(${changed}):`
  })
  return `(${choices.join('')}(${original}))`
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
