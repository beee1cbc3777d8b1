import type { FunctionComponent } from 'preact'
import type { Frame } from '../../src/core/http/pages/frame.ts'
import type { Texts } from '../languages/languages.ts'

/** How a page shows its view. */
export interface PageOf<View> {
  /** The title of the window, and the heading unless that is another one. */
  title(view: View, texts: Texts): string
  heading?(view: View, texts: Texts, frame: Frame): string
  /** What follows the heading. */
  readonly Content: FunctionComponent<{ view: View }>
  /** Whether something must be corrected: the title of the window says so first. */
  hasProblem?(view: View): boolean
  /** A path to which the browser goes on by itself. */
  refresh?(view: View): string
  /** Whether it is as wide as a table wants; otherwise it has the width of a form. */
  readonly isWide?: boolean
}

/** The pages of a flow, one for each of its views. */
export type PagesOf<Views> = { readonly [Name in keyof Views]: PageOf<Views[Name]> }

/** The states of the pages of a flow, each by a name of its own, for the pictures and the tests. */
export type ExamplesOf<Views> = {
  readonly [Name in keyof Views]: Readonly<Record<string, Views[Name]>>
}
