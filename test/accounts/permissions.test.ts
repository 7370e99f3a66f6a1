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

test('permissions of the built-in roles', () => {
  expect(PERMISSIONS).toHaveLength(18)
  expect(permissionsOf('admin', [])).toEqual(PERMISSIONS)
  expect(permissionsOf('editor', []).join(' ')).toBe(
    'tools:use files:own files:all apikeys:own pipelines:own pipelines:all settings:read',
  )
  expect(permissionsOf('user', []).join(' ')).toBe('tools:use files:own apikeys:own pipelines:own settings:read')
  expect(permissionsOf('constructor', [])).toEqual([])
})

test('a stored role has its known permissions; a deleted role has none', () => {
  expect(permissionsOf('press', [custom])).toEqual(['tools:use'])
  expect(permissionsOf('press', [])).toEqual([])
})

test('a key has what both scope and role allow; a disabled account has nothing', () => {
  expect([...effectivePermissions('user', [], ['tools:use', 'users:manage'])]).toEqual(['tools:use'])
  expect(effectivePermissions('user', [], null).size).toBe(5)
  expect(effectivePermissions('disabled:admin', []).size).toBe(0)
})

test('roles are case-insensitive', () => {
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
