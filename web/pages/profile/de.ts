import type { Texts } from '../../languages/languages.ts'

/** Die Seite des eigenen Profils. */
export const profile: Texts['profile'] = {
  title: 'Profil',
  summary: 'Weitere Angaben zu Ihrem Konto.',
  fixed: 'Von der Verwaltung festgelegt',
  own: 'Ihre Angaben',
  save: 'Speichern',
  yes: 'ja',
  no: 'nein',
  none: 'keine Angabe',
  saved: 'Ihr Profil ist gespeichert.',
  wrong: 'Bitte korrigieren Sie die markierten Felder.',
}
