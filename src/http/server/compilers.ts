import AjvCompiler, { type ValidatorFactory } from '@fastify/ajv-compiler'
import SerializerSelector, { type SerializerFactory } from '@fastify/fast-json-stringify-compiler'

/**
 * Fastify's own compilers of schemas, which compile each schema once for all routes that have it:
 * most of what a route can answer or be asked, others can as well.
 */
export const compilersFactory: {
  buildValidator: ValidatorFactory
  buildSerializer: SerializerFactory
} = {
  buildValidator: sharing(AjvCompiler()),
  buildSerializer: sharing(SerializerSelector()),
}

/** Answers what was compiled of the same text before, for all services of this process. */
function sharing<Others, Options, Route, Compiled>(
  build: (others: Others, options?: Options) => (route: Route) => Compiled,
): (others: Others, options?: Options) => (route: Route) => Compiled {
  const known = new Map<string, Compiled>()
  return (others, options) => {
    const compile = build(others, options)
    return (route) => {
      const { schema } = route as { schema?: unknown } // both builders are given it; only one type says so
      const text = JSON.stringify([others, options, schema])
      const compiled = known.get(text) ?? compile(route)
      known.set(text, compiled)
      return compiled
    }
  }
}
