import AjvCompiler, { type ValidatorFactory } from '@fastify/ajv-compiler'
import SerializerSelector, { type SerializerFactory } from '@fastify/fast-json-stringify-compiler'

/**
 * Fastify's own compilers of schemas, with a cache: a schema is compiled once for all routes that
 * use it. Most schemas are used by several routes.
 */
export const compilersFactory: {
  buildValidator: ValidatorFactory
  buildSerializer: SerializerFactory
} = {
  buildValidator: sharing(AjvCompiler()),
  buildSerializer: sharing(SerializerSelector()),
}

/** Caches compiled schemas by their text, for all services of this process. */
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
