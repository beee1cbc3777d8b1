import type { components, paths } from './openapi.d.ts'

export type Schemas = components['schemas']
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The paths that have an operation of a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<Lowercase<M>, object> ? P : never
}[keyof paths]

export type OperationOf<M extends Method, P extends keyof paths> =
  paths[P] extends Record<Lowercase<M>, infer Operation> ? Operation : never

type Path<O> = O extends { parameters: { path: infer Values extends object } }
  ? { readonly path: Values }
  : unknown

type Query<O> = O extends { parameters: { query: infer Values extends object } }
  ? { readonly query: Values }
  : O extends { parameters: { query?: infer Values extends object | undefined } }
    ? { readonly query?: Values }
    : unknown

type BodyOf<Content> = Content extends { 'application/json': infer Json }
  ? Json
  : NonNullable<RequestInit['body']>
type Body<O> = O extends { requestBody: { content: infer Content } }
  ? { readonly body: BodyOf<Content> }
  : O extends { requestBody?: { content: infer Content } }
    ? { readonly body?: BodyOf<Content> }
    : unknown

interface Common {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export type CallOptions<O> = Path<O> & Query<O> & Body<O> & Common

/** The options may be left out where none of them is required. */
export type Given<O> =
  Record<never, never> extends CallOptions<O>
    ? [options?: CallOptions<O>]
    : [options: CallOptions<O>]

type SuccessOf<Responses> = Responses[keyof Responses & (200 | 201 | 202 | 203 | 204 | 207)]
type ContentOf<Success> = Success extends { content: infer Content }
  ? Content extends { 'application/json': infer Json }
    ? Json
    : string
  : undefined

export type DataOf<O> = O extends { responses: infer Responses }
  ? ContentOf<SuccessOf<Responses>>
  : never

export interface Answer<Data> {
  readonly data: Data
  /** For `ETag` and other headers; its body is read. */
  readonly response: Response
}

/** What `POST /login` takes, without the mode. */
export type SignIn = Omit<Schemas['LoginRequest'], 'mode'> | Omit<Schemas['PasskeyLogin'], 'mode'>
