/** Errors over HTTP: client values are unchanged, and nothing of this machine is revealed. */

import { expect, test } from 'vitest'
import { ERRORS, MediaprocError, toMediaprocError } from '../../src/errors.ts'
import { errorAnswer } from '../../src/server/http/answers.ts'

const answer = (error: unknown) => errorAnswer(error).body

test('repeats a client value that looks like a path completely', () => {
  expect(answer(new MediaprocError('INVALID_SETTINGS', 'page: expected a number, got /1/2/3', { hint: '' }))).toEqual({
    error: 'Invalid settings',
    code: 'INVALID_SETTINGS',
    details: 'page: expected a number, got /1/2/3',
  })
})

test('a file system error names the reason, but no path of this machine', () => {
  const failed = Object.assign(new Error("EACCES: '/srv/data/jobs/7'"), { code: 'EACCES', path: '/srv/data/jobs/7' })
  expect(toMediaprocError(failed).message).toContain('/srv/data/jobs/7')
  expect(JSON.stringify(answer(failed))).not.toContain('srv')
})

test('clients get hints for HTTP, or none', () => {
  const withHint = (hint: MediaprocError['hint'] | { shell: string; http?: string }) =>
    answer(new MediaprocError('NO_FILE', 'watermark needs a picture', { hint })).details
  expect(withHint({ shell: 'Name it with --picture FILE.', http: 'Send it as the file picture.' })).toBe(
    'Send it as the file picture.',
  )
  expect(withHint({ shell: 'Name it with --picture FILE.' })).toBeUndefined()
  expect(withHint('Send fewer files.')).toBe('Send fewer files.')
})

test('no error of the catalogue names a command to a client', () => {
  for (const code of Object.keys(ERRORS) as (keyof typeof ERRORS)[])
    expect(new MediaprocError(code).httpHint).not.toMatch(/(^|\s)--\w|\bmediaproc \w|\s-[a-z]\b/)
})
