import type { ownData as english } from './en.ts'

export const ownData: typeof english = {
  dataTitle: 'Ihre Daten',
  dataSummary: 'Eine Kopie von allem, was Ihr Konto nennt.',
  dataExplanation:
    'Die Datei enthält Ihr Profil, Ihre Sitzungen, was Sie geschrieben und was Sie hier getan haben, in einer Form, die Programme lesen können (JSON). Sie enthält keine Passwörter und keine Geheimnisse. Bewahren Sie sie sicher auf.',
  download: 'Ihre Daten herunterladen',
  deletionTitle: 'Konto löschen',
  deletionSummary: 'Ihr Konto und alles, was Sie nennt, wird endgültig gelöscht.',
  deletionWarning: 'Das lässt sich nicht rückgängig machen.',
  deletionWaits: (days) =>
    `Ihr Konto wird ${days === 1 ? 'einen Tag' : `${days} Tage`} danach endgültig gelöscht. Bis dahin können Sie es mit einem Link behalten, den wir an Ihre bestätigte Adresse senden.`,
  deletionExplanation: (days) =>
    days === 0
      ? 'Ihr Konto, Ihr Profil und alle Sitzungen sind sofort gelöscht. Was Sie geschrieben haben, bleibt ohne Ihren Namen stehen.'
      : 'Alle Sitzungen enden sofort, und Sie können sich nicht mehr anmelden. Was Sie geschrieben haben, bleibt ohne Ihren Namen stehen.',
  deletionHint: 'Geben Sie Ihren Benutzernamen ein, damit das nicht aus Versehen geschieht.',
  deleteAccount: 'Das Konto endgültig löschen',
  deleteLater: 'Das Konto löschen',
  deletedTitle: 'Konto gelöscht',
  deletionRequestedTitle: 'Ihr Konto wird gelöscht',
  deletionRequested:
    'Sie sind abgemeldet und können sich nicht mehr anmelden. Ihr Konto wird endgültig gelöscht am',
  deletionLink:
    'Bis dahin können Sie es behalten: Öffnen Sie den Link in der E-Mail, die wir an Ihre bestätigte Adresse gesendet haben.',
  deleted: 'Ihr Konto ist gelöscht, und Sie sind abgemeldet.',
  problems: {
    username_wrong: 'Das ist nicht Ihr Benutzername.',
    last_administrator:
      'Sie sind die letzte Person mit der Rolle ADMIN. Bestimmen Sie zuerst eine andere.',
  },
}
