import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import type { ValidatorFactory } from '@fastify/ajv-compiler'
import type { SerializerFactory } from '@fastify/fast-json-stringify-compiler'

declare module 'fastify' {
  interface FastifyInstance {
    /** @throws Error that names the route of an invalid schema */
    compileSchemas(): Promise<void>
  }
}

export interface Compilers {
  readonly factory: { buildValidator: ValidatorFactory; buildSerializer: SerializerFactory }
  /**
   * Compiles one schema per turn of the event loop, so that requests are served in between.
   * @throws Error that names the route of an invalid schema
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
  /** Errors of the last call. */
  errors?: unknown
}

type Build = (others: unknown, options?: unknown) => (route: Route) => Compiled

interface Schema {
  readonly run: Compiled
  readonly compile: () => Compiled
}

// Fastify requests compilers synchronously, so `import()` is not possible.
const load = createRequire(import.meta.url)
const validators = sharing(() => load('@fastify/ajv-compiler')())
const serializers = sharing(() => load('@fastify/fast-json-stringify-compiler')())

/** Compiles each schema at first use: compiling all takes a tenth of the start time. */
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
      buildValidator: noting(validators) as unknown as ValidatorFactory, // same signature as Compiled
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

/** Caches schemas by text, for all services of the process. */
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
