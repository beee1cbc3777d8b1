import type { OwnPage } from '../../own-account/pages/views.ts'

export interface RememberedDevicesViews {
  'account-devices': AccountDevicesView
}

export interface AccountDevicesView extends OwnPage {
  readonly devices: readonly DeviceRow[]
}

export interface DeviceRow {
  readonly id: string
  readonly isCurrent: boolean
  readonly browser: string | null
  readonly system: string | null
  readonly address: string
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly endsAt: number
}

declare module '../../../core/http/pages/views.ts' {
  interface Views extends RememberedDevicesViews {}
}

declare module '../../own-account/pages/views.ts' {
  interface AccountDones {
    device_forgotten: true
    devices_forgotten: true
  }
}
