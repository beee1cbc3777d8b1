import type { FastifyInstance } from 'fastify'
import type { ReadAnswer } from './answers.ts'
import type { Concrete } from './twists.ts'

export interface Injected extends Omit<Concrete, 'body'> {
  /** Base64. */
  readonly body: string | null
}

export async function injectInto(
  server: FastifyInstance,
  { method, target, headers, body }: Injected,
): Promise<ReadAnswer> {
  const response = await server.inject({
    method: method as 'GET',
    url: target,
    headers: Object.fromEntries(headers),
    ...(body !== null && { payload: Buffer.from(body, 'base64') }),
  })
  const all = Object.entries(response.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name.toLowerCase(), String(one)] as const),
  )
  return { status: response.statusCode, headers: all, body: response.body }
}

export function injected({ body, ...request }: Concrete): Injected {
  return { ...request, body: body === null ? null : body.toString('base64') }
}
