import { render } from 'preact'
import { isLanguage } from '../../src/core/lib/languages.ts'
import { App } from './app.tsx'
import { frameTexts } from './frame-texts.ts'
import { restoreSession } from './session/session.ts'

/** Fills the page of the console, once its texts and the session are there. */
export async function start(): Promise<void> {
  const root = document.getElementById('console')
  if (!root) return
  const { lang } = document.documentElement
  const language = isLanguage(lang) ? lang : 'en'
  // Without an answer the frame stands, and each view says what is wrong.
  await Promise.all([frameTexts.load(language), restoreSession().catch(() => null)])
  root.replaceChildren()
  const { name = '', logo = '' } = root.dataset
  render(<App language={language} name={name} logo={logo} />, root)
}
