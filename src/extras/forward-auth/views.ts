export interface ForwardViews {
  'forward-denied': ForwardDeniedView
  'forward-refused-ticket': RefusedTicketView
}

export interface ForwardDeniedView {
  /** Null for a rule about anyone: the caller was not authenticated. */
  readonly username: string | null
  /** Of the application. */
  readonly host: string
  /** To sign in as another person. */
  readonly signOut: string
  readonly requestId: string
}

export interface RefusedTicketView {
  /** Starts over. */
  readonly begin: string
  readonly requestId: string
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends ForwardViews {}
}
