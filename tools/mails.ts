/** Writes the golden files of all messages, in all languages, to test/mails/. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathOfSample, renderSamples } from '../test/mail-samples.ts'

rmSync(pathOfSample('.'), { recursive: true, force: true })
for (const [name, text] of renderSamples()) {
  const path = pathOfSample(name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
