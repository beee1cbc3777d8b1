import type { OwnTexts } from '../../config/own-texts.ts'
import type { Language } from '../../lib/languages.ts'

/** What surrounds the content of a page. */
export interface Frame {
  readonly language: Language
  /** The name of the service, as people know it. */
  readonly name: string
  /** The addresses of the files that a page loads. */
  readonly files: {
    readonly style: string
    readonly module: string
    readonly consoleStyle: string
    readonly consoleModule: string
    readonly icon: string
    /** The colour of the service; null: that of the style sheet. */
    readonly brandingStyle: string | null
    /** Shown before the name; null: the icon. */
    readonly logo: string | null
  }
  /** What the paths of the service begin with: its address on a page at another host, else nothing. */
  readonly base: string
  /** The organization's own texts in this language. */
  readonly own: OwnTexts
  /** Where the form of the language comes back to; null: there is no such form. */
  readonly here: string | null
  /** The username of the person who is signed in. */
  readonly person: string | null
}
