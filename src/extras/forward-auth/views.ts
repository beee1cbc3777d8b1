export interface ForwardViews {
  'forward-denied': ForwardDeniedView
  'forward-refused-ticket': RefusedTicketView
}

export interface ForwardDeniedView {
  /** Null for a rule about anyone. */
  readonly username: string | null
  readonly host: string
  readonly signOut: string
  readonly requestId: string
}

export interface RefusedTicketView {
  readonly begin: string
  readonly requestId: string
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends ForwardViews {}
}
