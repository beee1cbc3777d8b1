/** On which all nodes listen. An empty payload says only that something has changed. */
export const channel = 'gatehouse'

/** Of the confirmations for a node. */
export function channelOf(nodeId: string): string {
  return `${channel} ${nodeId}`
}

/** 'on' in sessions that confirm their changes with the nodes; in others, triggers notify. */
export const notifiesSetting = 'gatehouse.notifies'

/** The code with which a trigger reports a change to the session. */
export const changedCode = 'GH001'
