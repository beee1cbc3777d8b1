import { unleeted } from './breached/bare-forms.ts'

/** Words that templates leave for the operator to replace. */
const leftByTemplates =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this|with)|placeholder|example|your[-_ ]?(own|super|jwt|secret|256|512|token|key)|insecure|not[-_ ]?secure|default[-_ ]?(secret|key)|(jwt|my|test|dev)[-_ ]?(secret|key)/i

/** `<your secret>`, `{{ SECRET }}`, `${JWT_KEY}`: in brackets what can only be a name. */
const bracketed = [
  /[<{][a-z0-9 ._-]*[a-z]{3}[a-z0-9 ._-]*[>}]/,
  /[<{][A-Z0-9 ._-]*[A-Z]{3}[A-Z0-9 ._-]*[>}]/,
  /[<{][A-Za-z ._-]{8,}[>}]/,
]

/** Among letters alone, so that no spelling of these words gets by. */
const inAnySpelling =
  /secret|passw|changeme|changeth|changeit|replaceme|replaceth|your[a-z]{0,12}key/

/** Whether a text holds what templates leave to be replaced. */
export function isTemplateText(text: string): boolean {
  return leftByTemplates.test(text)
}

/** Whether a text is a placeholder in any spelling: brackets, digits for letters, signs between. */
export function isPlaceholder(text: string): boolean {
  if (bracketed.some((form) => form.test(text))) return true
  const folded = text.normalize('NFKC').toLowerCase()
  return [folded, ...unleeted(folded)].some((form) =>
    inAnySpelling.test(form.replace(/[^a-z]/g, '')),
  )
}
