/** The texts that BRAND_TEXTS_FILE has in one language. */
export interface OwnTexts {
  /** One sentence below the name of the service; null: none. */
  readonly headline: string | null
  /** Whom to ask for help, at the end of each page; null: none. */
  readonly help: string | null
  /** Links at the end of each page, as to an imprint. */
  readonly links: readonly OwnLink[]
}

export interface OwnLink {
  readonly text: string
  readonly href: string
}
