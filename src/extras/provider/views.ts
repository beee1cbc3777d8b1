import type { OwnPage } from '../own-account/pages/views.ts'

export interface ProviderViews {
  'provider-consent': ConsentView
  'provider-account': AccountChoiceView
  'provider-refused': RefusedView
  'provider-problem': ProblemView
  'provider-sign-out': SignOutView
  'account-applications': ApplicationsView
  'provider-device': DeviceView
  'provider-device-decision': DeviceDecisionView
  'provider-device-done': DeviceDoneView
}

interface AskedView {
  readonly action: string
  readonly csrf: string
  /** The name of the application. */
  readonly application: string
}

export interface ConsentView extends AskedView {
  readonly username: string
  readonly operator: string | null
  readonly homeUri: string | null
  /** The host, or scheme, where the browser goes on: a name is no proof of it. */
  readonly returnsTo: string | null
  /** What the application wants to have. */
  readonly scopes: readonly string[]
  /** The application wants the address, and the account has no verified one. */
  readonly lacksEmail: boolean
}

/** The application wants the person to choose the account. */
export interface AccountChoiceView extends AskedView {
  readonly username: string
}

/** The application is not open to the person. */
export interface RefusedView extends AskedView {
  readonly username: string
  readonly operator: string | null
}

/** The request of an application is wrong, and its address cannot be trusted. */
export interface ProblemView {
  /** RFC 6749 section 4.1.2.1. */
  readonly error: string
  /** For developers, in English. */
  readonly description: string | null
  readonly requestId: string
}

/** An application asks for the sign-out. */
export interface SignOutView {
  readonly action: string
  readonly csrf: string
  readonly username: string
  /** Null: not known. */
  readonly application: string | null
}

/** A person types the code that a device shows. */
export interface DeviceView {
  readonly csrf: string
  readonly code: string
  readonly isWrong: boolean
}

export interface DeviceDecisionView {
  readonly csrf: string
  readonly code: string
  readonly username: string
  readonly application: string
  readonly operator: string | null
  readonly scopes: readonly string[]
  /** Where the device asked from. */
  readonly address: string
  /** False: the application is for others. */
  readonly isOpen: boolean
}

export interface DeviceDoneView {
  readonly isGiven: boolean
}

export interface ApplicationsView extends OwnPage {
  readonly applications: readonly ApplicationRow[]
}

export interface ApplicationRow {
  readonly client: string
  readonly name: string
  readonly homeUri: string | null
  readonly scopes: readonly string[]
  /** It stays signed in after a sign-out. */
  readonly isOffline: boolean
  /** Null: it needs no consent. */
  readonly givenAt: number | null
}

declare module '../../core/http/pages/views.ts' {
  interface Views extends ProviderViews {}
}

declare module '../own-account/pages/views.ts' {
  interface AccountDones {
    application_withdrawn: true
  }
}
