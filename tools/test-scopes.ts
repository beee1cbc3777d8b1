import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import type { test as Test } from 'node:test'

/**
 * Imports node:test so that it finds the test of a call, or of an error that nothing catches, without
 * a hook for every promise. The hook takes up to a quarter of the CPU time of a file.
 * https://nodejs.org/api/async_hooks.html#async_hookscreatehookoptions
 */
export async function importTest(): Promise<typeof Test> {
  const { createHook, executionAsyncId } = asyncHooks
  const scopes = new AsyncLocalStorage<{ readonly id: number }>()
  // The channel publishes inside the resource of the test.
  tracingChannel('node.test').start.bindStore(scopes, () => ({ id: executionAsyncId() }))
  // node:test takes both functions when it is loaded.
  Object.assign(asyncHooks, {
    executionAsyncId: () => scopes.getStore()?.id ?? executionAsyncId(),
    createHook: ({ init, ...others }: asyncHooks.HookCallbacks) =>
      createHook({
        ...others,
        init: (id, type, trigger, resource) =>
          init?.(id, type, scopes.getStore()?.id ?? trigger, resource),
        trackPromises: false,
      }),
  })
  const { test } = await import('node:test')
  Object.assign(asyncHooks, { createHook, executionAsyncId })
  return test
}
