import { type RequestHeader, requestHeaders } from '../request-headers.ts'
import { type ResponseHeader, responseHeaders } from '../response-headers.ts'
import type { Components, Reference } from './components.ts'

/** Adds `X-Request-Id`, which every response has. */
export function headersOf(
  components: Components,
  sent: readonly ResponseHeader[],
): Record<string, Reference> {
  const all: readonly ResponseHeader[] = [...new Set([...sent, 'x-request-id' as const])]
  return Object.fromEntries(
    all.map((header) => {
      const { name, description, isAlwaysSent, example } = responseHeaders[header]
      const type = typeof example === 'number' ? 'integer' : 'string'
      const part = { description, required: isAlwaysSent, schema: { type }, example }
      const component = header === 'sign-in' ? 'Location_OfSignIn' : name
      return [name, components.add('headers', component, part)]
    }),
  )
}

export function parametersOf(
  components: Components,
  headers: readonly RequestHeader[],
): Reference[] {
  return headers.map((header) => {
    const { name, description, example } = requestHeaders[header]
    const part = { name, in: 'header', description, schema: { type: 'string' }, example }
    return components.add('parameters', name, part)
  })
}

/**
 * X-CSRF-Token, for sessions.
 * @param isAlone whether the route accepts no other scheme
 */
export function csrfParameter(components: Components, isAlone: boolean): object {
  const name = 'X-CSRF-Token'
  const part = {
    name,
    in: 'header',
    required: isAlone,
    description: 'The `csrf_token` of the session; needed where the session authenticates',
    schema: { type: 'string' },
    example: 'f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0',
  }
  return components.add('parameters', isAlone ? `${name}_required` : name, part)
}
