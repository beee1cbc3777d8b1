import type { FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import type { ApiError, ErrorName } from '../../../core/errors.ts'
import type { ViewOptions, ViewPage } from '../../../core/http/pages/send-view.ts'
import type { Result } from '../../authentication/completion.ts'
import type { Evidence } from '../../authentication/evidence.ts'
import type { PageFlow } from '../../flows/flows.ts'
import type { SignInData, SignInStep } from '../../flows/sign-in-flow.ts'
import type { NewSession } from '../../sessions/sessions.ts'
import type { Attempt } from '../../throttle/attempt.ts'
import type { Asked, SignInForm, SignInLink } from './views.ts'

declare module '../../../core/module/hooks.ts' {
  interface HookPoints {
    signInPages: SignInAddition
  }
}

export type SignInFlow = PageFlow<SignInData>

export interface SigningIn {
  /** For the limits. */
  readonly address: string
  readonly result: Result<NewSession, string>
  /** Runs in the transaction that advances the flow: consumes proofs. */
  readonly also?: (trx: DatabaseOrTransaction) => Promise<void>
}

/**
 * Returns the flow at its next step, and cancels the attempt; or null if complete, after settling
 * the attempt.
 */
export type Proceed = (
  flow: SignInFlow,
  evidence: Evidence,
  attempt: Attempt | null,
  by: SigningIn,
) => Promise<SignInFlow | null>

export interface Shown {
  readonly flow: SignInFlow
  /** Known only after a proof. */
  readonly username: string
  /** Kept on an error page. */
  readonly typed?: string
  readonly chosen?: SignInWay | undefined
  readonly isEnded?: boolean
  /** Whether the device of a person who has typed the password may be remembered. */
  readonly mayRemember: boolean
  /** The box of the sent form. */
  readonly isTicked?: boolean
  readonly error?: ApiError
  readonly asked: Asked
  readonly now: number
}

/** Takes the place of the second factor after a right password. Never a proof. */
export interface RememberedDevices {
  /** Null: never offered, and none counts. */
  readonly days: number | null
  isRemembered(userId: number, browser: string): Promise<boolean>
  /** @throws ApiError invalidCredentials if it has ended in the meantime */
  use(trx: DatabaseOrTransaction, userId: number, browser: string): Promise<void>
  remember(trx: DatabaseOrTransaction, userId: number, browser: string): Promise<void>
}

export interface SignInAddition {
  readonly devices?: RememberedDevices
  /** Null: not offered. */
  readonly link?: (at: FirstPage) => SignInLink | null
  readonly way?: (proceed: Proceed) => SignInWay
}

export interface FirstPage {
  readonly action: string
  readonly returnTo: string
  /** False: only the signed-in account signs in again. */
  readonly isOpen: boolean
}

/** An alternative to the password: steps with pages. */
export interface SignInWay {
  readonly errors?: readonly ErrorName[]
  /** Field for the account in the first form. */
  readonly field: string
  /** After the first page, where the way has steps of its own. */
  readonly steps?: Readonly<Record<string, TakeStep>>
  readonly pages?: Readonly<Record<string, ShowStep>>
  /** By the query of the page. */
  isChosen(query: Readonly<Record<string, unknown>>): boolean
  readonly first: ShowStep
  /** Whether a sent form starts or restarts the way. */
  isBegun(flow: SignInFlow, field: ReadField): boolean
  readonly begin: TakeStep
  /** The target of an opened link; null for other requests. @throws ApiError */
  arrive?(request: FastifyRequest): Promise<Arrival | null>
  /** Null if the step's form can show the error. */
  refused?(error: ApiError, step: SignInStep | undefined): ViewPage | null
}

export type ReadField = (name: string) => string

/** Null if signed in. */
export type TakeStep = (
  flow: SignInFlow,
  request: FastifyRequest,
  by: SigningIn,
  field: ReadField,
) => Promise<SignInFlow | null>

export type ShowStep = (shown: Shown, form: SignInForm, options: ViewOptions) => ViewPage

/** The return address of a flow is unchecked. */
export type Arrival =
  | { readonly location: string }
  | { readonly step: SignInStep; readonly data: Partial<SignInData>; readonly returnTo: unknown }
