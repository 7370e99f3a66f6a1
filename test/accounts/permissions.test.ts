import { expect, test } from 'vitest'
import {
  baseRole,
  effectivePermissions,
  PERMISSIONS,
  parseRole,
  permissionsOf,
  rankOf,
} from '../../src/accounts/directory/permissions.ts'

const custom = {
  id: 'r1',
  name: 'press',
  description: '',
  permissions: ['tools:use', 'fly'],
  toolPermissions: null,
  createdAt: '',
  updatedAt: '',
}

test('what the built-in roles hold', () => {
  expect(PERMISSIONS).toHaveLength(18)
  expect(permissionsOf('admin', [])).toEqual(PERMISSIONS)
  expect(permissionsOf('editor', []).join(' ')).toBe(
    'tools:use files:own files:all apikeys:own pipelines:own pipelines:all settings:read',
  )
  expect(permissionsOf('user', []).join(' ')).toBe('tools:use files:own apikeys:own pipelines:own settings:read')
  expect(permissionsOf('constructor', [])).toEqual([])
})

test('a role of the store holds its known permissions, one that is gone none', () => {
  expect(permissionsOf('press', [custom])).toEqual(['tools:use'])
  expect(permissionsOf('press', [])).toEqual([])
})

test('a key holds what both its scope and the role hold; a disabled account nothing', () => {
  expect([...effectivePermissions('user', [], ['tools:use', 'users:manage'])]).toEqual(['tools:use'])
  expect(effectivePermissions('user', [], null).size).toBe(5)
  expect(effectivePermissions('disabled:admin', []).size).toBe(0)
})

test('roles are read in any case', () => {
  expect(parseRole(' Admin ', [])).toBe('admin')
  expect(parseRole('Disabled:User', [])).toBe('disabled:user')
  expect(parseRole('disabled', [], 'editor')).toBe('disabled:editor')
  expect(parseRole('disabled', [], 'disabled:editor')).toBe('disabled:editor')
  expect(parseRole('PRESS', [custom])).toBe('press')
  for (const text of ['disabled', 'disabled:x', 'disabled:disabled:user', 'wizard', '', 'toString'])
    expect(parseRole(text, [])).toBeUndefined()
})

test('ranks of the built-in roles', () => {
  expect(['user', 'editor', 'admin', 'disabled:admin', 'press'].map(rankOf)).toEqual([0, 1, 2, 2, undefined])
  expect(baseRole('disabled:editor')).toBe('editor')
})
