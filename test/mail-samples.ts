import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { languages } from '../src/core/config/languages.ts'
import { render } from '../src/extras/mail/messages/render.ts'
import { samplesOf } from '../src/extras/mail/samples.ts'

/** The samples as the golden files have them. */
export const samples = samplesOf({ name: 'Harbour', baseUrl: 'https://id.example.org' })

const folder = join(import.meta.dirname, 'mails')

/** Writes all samples in all languages, by the path of their golden file. */
export function renderSamples(): Map<string, string> {
  const files = new Map<string, string>()
  for (const language of languages) {
    for (const { title, message, facts, context } of samples) {
      const { subject, text, html } = render(message, facts, language, context)
      files.set(`${language}/${title}.txt`, `Subject: ${subject}\n\n${text}`)
      files.set(`${language}/${title}.html`, html)
    }
  }
  return files
}

/** Where the golden file of a sample is. */
export function pathOfSample(name: string): string {
  return join(folder, name)
}

export function readSample(name: string): string {
  return readFileSync(pathOfSample(name), 'utf8')
}
