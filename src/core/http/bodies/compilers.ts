import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import type { ValidatorFactory } from '@fastify/ajv-compiler'
import type { SerializerFactory } from '@fastify/fast-json-stringify-compiler'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Compiles the schemas of all routes, which otherwise happens at the first request that needs one.
     * @throws Error for a schema that is not one; the message names its route
     */
    compileSchemas(): Promise<void>
  }
}

/** The compilers of the schemas of one server. */
export interface Compilers {
  /** For Fastify. */
  readonly factory: { buildValidator: ValidatorFactory; buildSerializer: SerializerFactory }
  /**
   * Compiles all schemas that no request has needed yet, one in a turn of the event loop, so that
   * requests are answered meanwhile.
   * @throws Error for a schema that is not one; the message names its route
   */
  compileAll(): Promise<void>
}

interface Route {
  readonly schema?: unknown
  readonly method?: string
  readonly url?: string
}

interface Compiled {
  (value: unknown): unknown
  /** What a validator found in the value of its last call. */
  errors?: unknown
}

type Build = (others: unknown, options?: unknown) => (route: Route) => Compiled

/** A schema that is compiled when it is needed. */
interface Schema {
  readonly run: Compiled
  readonly compile: () => Compiled
}

// Fastify asks for its compilers in a call that cannot wait for an import.
const load = createRequire(import.meta.url)
const validators = sharing(() => load('@fastify/ajv-compiler')())
const serializers = sharing(() => load('@fastify/fast-json-stringify-compiler')())

/**
 * Creates Fastify's own compilers, which compile a schema once for all routes that use it, and when
 * a request needs it first: all at once would take a tenth of a start.
 */
export function createCompilers(): Compilers {
  const waiting = new Map<Schema, Route>()
  const noting =
    (of: (others: unknown, options: unknown, route: Route) => Schema) =>
    (others: unknown, options?: unknown) =>
    (route: Route): Compiled => {
      const schema = of(others, options, route)
      if (!waiting.has(schema)) waiting.set(schema, route)
      return schema.run
    }
  return {
    factory: {
      buildValidator: noting(validators) as unknown as ValidatorFactory, // its calls are those of Compiled
      buildSerializer: noting(serializers) as unknown as SerializerFactory,
    },
    async compileAll() {
      for (const [schema, { method, url }] of waiting) {
        await setImmediate()
        try {
          schema.compile()
        } catch (error) {
          throw new Error(`a schema of ${method} ${url} cannot be compiled`, { cause: error })
        }
      }
      waiting.clear()
    },
  }
}

/** Keeps schemas by their text, for all services of this process. */
function sharing(
  loadBuild: () => Build,
): (others: unknown, options: unknown, route: Route) => Schema {
  const known = new Map<string, Schema>()
  let build: Build | undefined
  return (others, options, route) => {
    const text = JSON.stringify([others, options, route.schema])
    const schema =
      known.get(text) ??
      whenNeeded(() => {
        build ??= loadBuild()
        return build(others, options)(route)
      })
    known.set(text, schema)
    return schema
  }
}

function whenNeeded(make: () => Compiled): Schema {
  let compiled: Compiled | undefined
  const compile = (): Compiled => {
    compiled ??= make()
    return compiled
  }
  const run: Compiled = (value) => {
    const checked = compiled ?? compile()
    const result = checked(value)
    run.errors = checked.errors
    return result
  }
  return { run, compile }
}
