import { expect, test } from 'vitest'
import { MediaprocError } from '../../src/errors.ts'
import { storageFailure } from '../../src/store/local/atomic-write.ts'

const failed = (code: string): Error => Object.assign(new Error(`${code}: /secret/accounts.json`), { code })

test.each([
  ['ENOSPC', 'DISK_FULL', 507],
  ['EDQUOT', 'DISK_FULL', 507],
  ['EROFS', 'DISK_LOW', 503],
  ['EACCES', 'DISK_LOW', 503],
  ['EIO', 'DISK_LOW', 503],
  ['EMFILE', 'INTERNAL', 500],
])('%s is reported as %s, without a path', (code, reported, status) => {
  const failure = storageFailure(failed(code))
  expect([failure.code, failure.status]).toEqual([reported, status])
  expect(`${failure.message} ${failure.hint}`).not.toContain('/secret')
  expect(failure.detail).toContain('/secret')
})

test('keeps an error that was already reported', () => {
  const known = new MediaprocError('SHUTTING_DOWN')
  expect(storageFailure(known)).toBe(known)
})
