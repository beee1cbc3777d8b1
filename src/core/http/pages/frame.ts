import type { OwnTexts } from '../../config/own-texts.ts'
import type { Language } from '../../lib/languages.ts'

export interface Frame {
  readonly language: Language
  /** The service's display name. */
  readonly name: string
  readonly files: {
    readonly style: string
    readonly module: string
    /** Of `script.ts` of a folder of pages, for the pages that need the script. */
    readonly scriptOf: (folder: string) => string
    readonly consoleStyle: string
    readonly consoleModule: string
    readonly icon: string
    /** Null: colour of the style sheet. */
    readonly brandingStyle: string | null
    /** Null: the icon. */
    readonly logo: string | null
  }
  /** Origin of the service on pages at other hosts, else empty. */
  readonly base: string
  /** Custom texts of the organization. */
  readonly own: OwnTexts
  /** Return path of the language form; null: no form. */
  readonly here: string | null
  /** Username of the signed-in person. */
  readonly person: string | null
}
