import type { FunctionComponent } from 'preact'
import type { Language } from '../../src/core/lib/languages.ts'
import type { AreaTexts } from './texts.ts'

/** The groups of the navigation, in their order. */
export const groups = ['overview', 'people', 'records', 'connections', 'operation'] as const

/** A part of the console, which `area.ts` of its view declares. The build collects these files. */
export interface Area {
  /** The address; the area shows what lies below it too. */
  readonly path: string
  readonly name: Readonly<Record<Language, string>>
  readonly group: (typeof groups)[number]
  /** The place in the group. */
  readonly order: number
  /** The roles that may see it. */
  readonly roles: readonly string[]
  /** The key after `g` that opens it. */
  readonly key: string
  /** The modules of the service whose routes the view calls: without them the view is removed. */
  readonly modules: readonly string[]
  /** Only for the overview: the API paths that it reads first. The page preloads them with the files. */
  readonly reads?: readonly string[]
  /** Loads the view and its texts when the area is opened. */
  load(language: Language): Promise<FunctionComponent>
}

/** View and texts are files of their own: both come at the same time, in one language alone. */
export function loader(
  view: () => Promise<FunctionComponent>,
  ...texts: readonly AreaTexts<unknown>[]
): Area['load'] {
  return async (language) => {
    const [component] = await Promise.all([view(), ...texts.map((own) => own.load(language))])
    return component
  }
}
