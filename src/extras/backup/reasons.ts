import type { FactsOf, TranslatedReason } from '../../core/reasons/types.ts'

export const reasons = {
  backups_off: {
    guard: 'route',
    explanation: 'The service makes no backups by itself: BACKUP_DIR is not set.',
    words: { de: 'Der Dienst macht selbst keine Sicherungen: BACKUP_DIR ist nicht gesetzt.' },
  },
} as const satisfies Record<string, TranslatedReason>

declare module '../../core/errors.ts' {
  interface ReasonFacts extends FactsOf<typeof reasons> {}
}
