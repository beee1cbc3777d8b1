import type { forward as english } from './en.ts'

export const forward: typeof english = {
  denied: {
    title: 'Sie dürfen diese Seite nicht öffnen',
    known: (name, host) =>
      `Sie sind als ${name} angemeldet. Dieses Konto darf diese Adresse von ${host} nicht öffnen.`,
    unknown: (host) => `Diese Adresse von ${host} ist für niemanden freigegeben.`,
    hint: 'Wenn Sie ein anderes Konto haben, melden Sie sich ab und dann mit dem anderen Konto an. Sonst fragen Sie die Administration dieses Dienstes.',
    another: 'Mit einem anderen Konto anmelden',
  },
  refusedTicket: {
    title: 'Die Anmeldung ist hier nicht angekommen',
    text: 'Die Anmeldung hat zu lange gedauert, wurde schon benutzt oder in einem anderen Browser oder einem privaten Fenster begonnen. Bitte beginnen Sie noch einmal: Wenn Sie schon angemeldet sind, werden Sie nicht erneut gefragt.',
    begin: 'Neu beginnen',
  },
}
