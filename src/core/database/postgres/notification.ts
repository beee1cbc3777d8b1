export const channel = 'gatehouse'

export const notify = `notify ${channel}`

/** Set in sessions that notify themselves; in others, triggers notify. */
export const notifiesSetting = 'gatehouse.notifies'

/** The notice code with which a trigger reports a change to the session. */
export const changedCode = 'GH001'
