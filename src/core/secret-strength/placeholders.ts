import { unleeted } from '../password-strength/breached/bare-forms.ts'

const leftByTemplates =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this|with)|placeholder|example|your[-_ ]?(own|super|jwt|secret|256|512|token|key)|insecure|not[-_ ]?secure|default[-_ ]?(secret|key)|(jwt|my|test|dev)[-_ ]?(secret|key)/i

/** `<your secret>`, `{{ SECRET }}`, `${JWT_KEY}`. */
const bracketed = [
  /[<{][a-z0-9 ._-]*[a-z]{3}[a-z0-9 ._-]*[>}]/,
  /[<{][A-Z0-9 ._-]*[A-Z]{3}[A-Z0-9 ._-]*[>}]/,
  /[<{][A-Za-z ._-]{8,}[>}]/,
]

/** Matched against letters only, to find every spelling. */
const inAnySpelling =
  /secret|passw|changeme|changeth|changeit|replaceme|replaceth|your[a-z]{0,12}key/

export function isTemplateText(text: string): boolean {
  return leftByTemplates.test(text)
}

/** Includes brackets, digits for letters, separators. */
export function isPlaceholder(text: string): boolean {
  if (bracketed.some((form) => form.test(text))) return true
  const folded = text.normalize('NFKC').toLowerCase()
  return [folded, ...unleeted(folded)].some((form) =>
    inAnySpelling.test(form.replace(/[^a-z]/g, '')),
  )
}
