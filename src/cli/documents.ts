import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../app.ts'
import type { Config } from '../core/config/load.ts'
import { type OpenApiDocument, openApiOf } from '../core/http/documents/openapi.ts'
import { type RouteRow, routeRows } from '../core/http/documents/route-table.ts'
import type { Module } from '../core/module/module.ts'
import { createLog, systemDeps } from '../core/runtime/deps.ts'
import { modules as ours } from '../modules.ts'

export interface ServiceDescription {
  readonly routes: readonly RouteRow[]
  readonly openapi: OpenApiDocument
}

/** Uses a temporary database: neither the data directory nor the configured keys and secrets. */
export async function describeService(
  given: Config,
  modules: readonly Module[] = ours,
): Promise<ServiceDescription> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  try {
    const deps = systemDeps(throwaway(given, directory))
    const { server } = await buildApp(
      { ...deps, log: createLog('silent') },
      { runsJobs: false, modules },
    )
    await server.compileSchemas()
    const openapi = openApiOf(server)
    const routes = routeRows(server.declared)
    await server.close()
    return { routes, openapi }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function throwaway(config: Config, dataDirectory: string): Config {
  return {
    ...config,
    database: { ...config.database, dataDirectory, postgres: undefined },
    masterKey: undefined,
    nextMasterKey: undefined,
    masterKeyFiles: { present: undefined, next: undefined },
    admin: { ...config.admin, password: undefined },
    // Fast hash, no breach queries.
    password: { ...config.password, hash: 'pbkdf2', pbkdf2Iterations: 1, breachUrl: undefined },
    token: {
      ...config.token,
      algorithm: 'HS256',
      secret: undefined,
      previousSecret: undefined,
      privateKey: undefined,
    },
  }
}
