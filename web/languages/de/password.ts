import type { passwordProblem as english } from '../en/password.ts'

export const passwordProblem: typeof english = (problem) => {
  switch (problem.rule) {
    case 'short':
      return `Das neue Passwort muss mindestens ${problem.limit} Zeichen haben.`
    case 'long':
      return `Das neue Passwort darf höchstens ${problem.limit} Zeichen haben.`
    case 'bytes':
      return `Das neue Passwort darf höchstens ${problem.limit} Byte haben.`
    default:
      return texts[problem.rule]
  }
}

const texts = {
  missing: 'Wählen Sie ein neues Passwort.',
  characters: 'Das neue Passwort hat Zeichen, die sich nicht speichern lassen.',
  service: 'Das neue Passwort darf den Namen dieses Dienstes nicht enthalten.',
  username: 'Das neue Passwort darf Ihren Benutzernamen nicht enthalten.',
  email: 'Das neue Passwort darf Ihre E-Mail-Adresse nicht enthalten.',
  repeated: 'Das neue Passwort darf nicht aus einem wiederholten Stück bestehen.',
  keyboard: 'Das neue Passwort darf keine Reihe benachbarter Tasten sein.',
  known: 'Dieses Passwort ist anderswo bekannt geworden. Wählen Sie ein anderes.',
  decorated:
    'Das neue Passwort ist ein häufiges Wort mit Ziffern oder Zeichen. Wählen Sie ein anderes.',
  same: 'Das neue Passwort muss sich vom jetzigen unterscheiden.',
  other: 'Das neue Passwort ist nicht annehmbar. Wählen Sie ein anderes.',
}
