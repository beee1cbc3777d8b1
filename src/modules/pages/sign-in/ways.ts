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
import type { SignInForm, SignInLink } from './views.ts'

declare module '../../../core/module/hooks.ts' {
  interface HookPoints {
    signInPages: SignInAddition
  }
}

export type SignInFlow = PageFlow<SignInData>

/** Where an attempt comes from, and what a complete sign-in gives. */
export interface SigningIn {
  /** The client's address, for the limits. */
  readonly address: string
  readonly result: Result<NewSession, string>
  /** Runs in the transaction that advances the flow: uses up what was proved. */
  readonly also?: (trx: DatabaseOrTransaction) => Promise<void>
}

/**
 * Takes evidence as the next proof of a flow. Returns the flow at its next step, and cancels the
 * attempt; or completes the sign-in, which ends the flow and settles the attempt, and returns null.
 */
export type Proceed = (
  flow: SignInFlow,
  evidence: Evidence,
  attempt: Attempt | null,
  by: SigningIn,
) => Promise<SignInFlow | null>

/** What a page shows beside its flow. */
export interface Shown {
  readonly flow: SignInFlow
  /** The name of the account, once a proof has shown the name. */
  readonly username: string
  /** What was typed before, which a page of a problem keeps. */
  readonly typed?: string
  /** The way whose first form the person asked for. */
  readonly chosen?: SignInWay | undefined
  readonly isEnded?: boolean
  readonly error?: ApiError
  readonly now: number
}

/** What another module adds to the pages of the sign-in. */
export interface SignInAddition {
  /** A link of the first page; null: not offered. */
  readonly link?: (at: FirstPage) => SignInLink | null
  /** Makes another way to prove who a person is. */
  readonly way?: (proceed: Proceed) => SignInWay
}

export interface FirstPage {
  /** Where the form of the page is sent. */
  readonly action: string
  readonly returnTo: string
  /** Whether anyone may sign in; otherwise the signed-in account signs in again. */
  readonly isOpen: boolean
}

/** A way to sign in beside the password: steps of the flow, each with its page. */
export interface SignInWay {
  readonly errors: readonly ErrorName[]
  /** The field of its first form that names the account. */
  readonly field: string
  readonly steps: Readonly<Record<string, TakeStep>>
  readonly pages: Readonly<Record<string, ShowStep>>
  /** Whether the address of the page asks for the first form of the way. */
  isChosen(query: Readonly<Record<string, unknown>>): boolean
  /** The first form of the way. */
  readonly first: ShowStep
  /** Whether a sent form begins the way, or begins it anew; `begin` takes such a form. */
  isBegun(flow: SignInFlow, field: ReadField): boolean
  readonly begin: TakeStep
  /** Where a link of the way leads that was opened; null if the request is none. @throws ApiError */
  arrive(request: FastifyRequest): Promise<Arrival | null>
  /** The page of a refusal at a step; null if the form of the step can say it. */
  refused(error: ApiError, step: SignInStep | undefined): ViewPage | null
}

export type ReadField = (name: string) => string

/** Returns the flow at its next step; null if the person is signed in. */
export type TakeStep = (
  flow: SignInFlow,
  request: FastifyRequest,
  by: SigningIn,
  field: ReadField,
) => Promise<SignInFlow | null>

export type ShowStep = (shown: Shown, form: SignInForm, options: ViewOptions) => ViewPage

/** Another page, or the beginning of a flow; what it returns to is not checked. */
export type Arrival =
  | { readonly location: string }
  | { readonly step: SignInStep; readonly data: Partial<SignInData>; readonly returnTo: unknown }
