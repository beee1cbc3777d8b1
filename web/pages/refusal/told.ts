import type { Texts } from '../../languages/languages.ts'

/** A refusal in words: the heading, and what it means for the person. */
export type Told = readonly [title: string, text: string]

/** What the texts of a folder may have: words for refusals, by the names of the errors. */
interface WithRefusals {
  readonly refusals?: Readonly<Partial<Record<string, Told>>>
}

/** The words of a refusal, of the folder that has them; other words if none has. */
export function toldOf(error: string, texts: Texts): Told {
  const folders: readonly WithRefusals[] = Object.values<object>({ ...texts })
  const told = folders.map(({ refusals }) => refusals?.[error]).find((words) => words !== undefined)
  return told ?? texts.refusal.otherwise
}
