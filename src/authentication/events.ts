import { eventType } from '../events/types.ts'

export const loginSuccess = eventType<{ user_id: number }>('authn_login_success')
