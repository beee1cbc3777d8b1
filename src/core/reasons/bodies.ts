import type { FactsOf, TranslatedReason } from './types.ts'

export const reasons = {
  body_not_json: {
    guard: 'body',
    explanation: 'The body is no valid JSON.',
    words: { de: 'Der Inhalt ist kein gültiges JSON.' },
  },
  body_empty: {
    guard: 'body',
    explanation: 'The route wants a body, and none was sent.',
    words: { de: 'Die Route verlangt einen Inhalt, und es kam keiner.' },
  },
  body_of_other_type: {
    guard: 'body',
    explanation: 'The Content-Type of the body is none that the route reads.',
    words: { de: 'Der Content-Type des Inhalts ist keiner, den die Route liest.' },
  },
  body_of_other_coding: {
    guard: 'body',
    explanation: 'The body has a Content-Encoding, and none but identity is read.',
    words: { de: 'Der Inhalt hat ein Content-Encoding, und keines außer identity wird gelesen.' },
  },
  body_of_other_charset: {
    guard: 'body',
    explanation: 'The charset of the body is not UTF-8.',
    words: { de: 'Der Zeichensatz des Inhalts ist nicht UTF-8.' },
  },
  form_malformed: {
    guard: 'body',
    explanation: 'The form has too many fields, a field twice, or escapes that are no UTF-8.',
    words: {
      de: 'Das Formular hat zu viele Felder, ein Feld zweimal, oder Zeichen, die kein UTF-8 sind.',
    },
  },
  body_not_utf8: {
    guard: 'body',
    explanation: 'The body is no UTF-8.',
    words: { de: 'Der Inhalt ist kein UTF-8.' },
  },
  body_length_invalid: {
    guard: 'body',
    explanation: 'The Content-Length of the body is not valid, or not its length.',
    words: { de: 'Die Content-Length ist nicht gültig oder nicht die des Inhalts.' },
  },
  body_too_large: {
    guard: 'body',
    explanation: 'The body is larger than the route allows.',
    words: { de: 'Der Inhalt ist größer, als die Route erlaubt.' },
    facts: ['limit_bytes'],
  },
  body_too_slow: {
    guard: 'body',
    explanation: 'The body did not arrive in time.',
    words: { de: 'Der Inhalt kam nicht rechtzeitig an.' },
  },
  body_cut: {
    guard: 'body',
    explanation: 'The body ended before it was complete.',
    words: { de: 'Der Inhalt endete, bevor er vollständig war.' },
  },
  schema_violated: {
    guard: 'body',
    explanation: 'Fields of the body break the rules of the schema.',
    words: { de: 'Felder des Inhalts verletzen die Regeln des Schemas.' },
    facts: ['fields'],
  },
  fields_absent: {
    guard: 'body',
    explanation: 'Required fields of the body are absent or null.',
    words: { de: 'Verlangte Felder des Inhalts fehlen oder sind null.' },
    facts: ['fields'],
  },
  field_refused: {
    guard: 'body',
    explanation: 'A field breaks a rule.',
    words: { de: 'Ein Feld verletzt eine Regel.' },
    facts: ['field', 'message'],
  },
  etag_differs: {
    guard: 'precondition',
    explanation: 'If-Match names another version of the resource: it has changed since.',
    words: {
      de: 'If-Match nennt eine andere Fassung der Ressource: Sie wurde inzwischen geändert.',
    },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
