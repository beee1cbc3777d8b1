/** The pages that are shown at the host of an application behind a proxy. */
export interface ForwardViews {
  'forward-denied': ForwardDeniedView
  'forward-refused-ticket': RefusedTicketView
}

/** A rule does not let the person open the address. */
export interface ForwardDeniedView {
  /** Who is signed in; null: it was not looked at, because the rule is about anyone. */
  readonly username: string | null
  /** Of the application. */
  readonly host: string
  /** Where one signs out, to sign in as another person. */
  readonly signOut: string
  readonly requestId: string
}

/** A session could not be handed over. */
export interface RefusedTicketView {
  /** Where the person begins again. */
  readonly begin: string
  readonly requestId: string
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends ForwardViews {}
}
