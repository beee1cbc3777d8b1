import type { Module } from '../../core/module/module.ts'

export const module: Module = { name: 'own-account', services: () => import('./services.ts') }
