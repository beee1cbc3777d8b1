import { eventType } from '../../core/events/types.ts'

export const forwardRulesChanged = eventType<{ rules: number }>('sys_forward_rules_changed', {
  groups: [],
  description: 'a changed `FORWARD_AUTH_FILE` is taken up',
  fields: { rules: 'how many' },
  words: { en: 'Rules of applications changed', de: 'Regeln der Anwendungen geändert' },
})

export const forwardRulesBroken = eventType<{ mistakes: number; rules: number }>(
  'sys_forward_rules_broken',
  {
    level: 'critical',
    groups: ['service'],
    description:
      'a changed `FORWARD_AUTH_FILE` has mistakes, which the log lists, and is not taken up',
    fields: { mistakes: 'how many', rules: 'how many stay in force' },
    words: {
      en: 'Rules of applications have mistakes',
      de: 'Regeln der Anwendungen sind fehlerhaft',
    },
  },
)

export const forwardSessionCreated = eventType<{
  user_id: number
  origin: string
}>('forward_session_created', {
  groups: [],
  description: 'a session is handed over to the host of an application behind a proxy',
  fields: { user_id: '', origin: '' },
  words: { en: 'Session handed over to an application', de: 'Sitzung an eine Anwendung übergeben' },
})
