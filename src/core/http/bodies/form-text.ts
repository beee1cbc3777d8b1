/** The value of a form field; empty if absent or not a text. */
export function textIn(body: unknown, name: string): string {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>> // parsed by Fastify
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : ''
}
