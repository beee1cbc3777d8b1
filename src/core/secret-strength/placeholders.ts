import { unleeted } from '../password-strength/breached/bare-forms.ts'

/** Words of templates that the operator has to replace. */
const leftByTemplates =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this|with)|placeholder|example|your[-_ ]?(own|super|jwt|secret|256|512|token|key)|insecure|not[-_ ]?secure|default[-_ ]?(secret|key)|(jwt|my|test|dev)[-_ ]?(secret|key)/i

/** A name in brackets: `<your secret>`, `{{ SECRET }}`, `${JWT_KEY}`. */
const bracketed = [
  /[<{][a-z0-9 ._-]*[a-z]{3}[a-z0-9 ._-]*[>}]/,
  /[<{][A-Z0-9 ._-]*[A-Z]{3}[A-Z0-9 ._-]*[>}]/,
  /[<{][A-Za-z ._-]{8,}[>}]/,
]

/** Matched against the letters of the text only, so that every spelling of these words is found. */
const inAnySpelling =
  /secret|passw|changeme|changeth|changeit|replaceme|replaceth|your[a-z]{0,12}key/

/** Whether a text holds a placeholder of a template. */
export function isTemplateText(text: string): boolean {
  return leftByTemplates.test(text)
}

/**
 * Whether a text is a placeholder in any spelling: with brackets, digits for letters, separators.
 */
export function isPlaceholder(text: string): boolean {
  if (bracketed.some((form) => form.test(text))) return true
  const folded = text.normalize('NFKC').toLowerCase()
  return [folded, ...unleeted(folded)].some((form) =>
    inAnySpelling.test(form.replace(/[^a-z]/g, '')),
  )
}
