/** A field of a form as it was sent; empty if it is absent, or no text. */
export function textIn(body: unknown, name: string): string {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>> // parsed by Fastify
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : ''
}
