import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { ConfigError } from '../src/core/config/load.ts'
import { loadConfig } from './config.ts'

/** The mistakes that an environment is refused for; none if it is accepted. */
export function mistakesOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env)
  } catch (error) {
    assert.ok(error instanceof ConfigError, inspect(error))
    return error.mistakes
  }
  return []
}
