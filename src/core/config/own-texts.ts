/** BRAND_TEXTS_FILE in one language. */
export interface OwnTexts {
  /** Below the service name. */
  readonly headline: string | null
  /** Whom to ask, at the end of each page. */
  readonly help: string | null
  /** At the end of each page. */
  readonly links: readonly OwnLink[]
}

export interface OwnLink {
  readonly text: string
  readonly href: string
}
