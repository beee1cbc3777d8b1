// A database makes a difference: each takes statements of its own for a journey.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJourneys } from '../tools/journeys.ts'
import { testDatabase } from './database.ts'
import { countJourneys } from './journeys.ts'

// On both databases: journeys.ts begins with testApp.
test('docs/request-costs.md says what every journey costs (npm run docs)', async () => {
  assert.deepEqual(await countJourneys(), readJourneys(testDatabase))
})
