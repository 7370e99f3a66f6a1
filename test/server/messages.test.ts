/** What an error says over HTTP: what the client sent stays as it was, and nothing of this machine is in it. */

import { expect, test } from 'vitest'
import { ERRORS, MediaprocError, toMediaprocError } from '../../src/errors.ts'
import { errorAnswer } from '../../src/server/http/answers.ts'

const answer = (error: unknown) => errorAnswer(error).body

test('a value of the client that looks like a path is repeated whole', () => {
  expect(answer(new MediaprocError('INVALID_SETTINGS', 'page: expected a number, got /1/2/3', { hint: '' }))).toEqual({
    error: 'Invalid settings',
    code: 'INVALID_SETTINGS',
    details: 'page: expected a number, got /1/2/3',
  })
})

test('an error of the file system says what, but no path of this machine', () => {
  const failed = Object.assign(new Error("EACCES: '/srv/data/jobs/7'"), { code: 'EACCES', path: '/srv/data/jobs/7' })
  expect(toMediaprocError(failed).message).toContain('/srv/data/jobs/7')
  expect(JSON.stringify(answer(failed))).not.toContain('srv')
})

test('clients get the hint that is for them, or none', () => {
  const withHint = (hint: MediaprocError['hint'] | { shell: string; http?: string }) =>
    answer(new MediaprocError('NO_FILE', 'watermark needs a picture', { hint })).details
  expect(withHint({ shell: 'Name it with --picture FILE.', http: 'Send it as the file picture.' })).toBe(
    'Send it as the file picture.',
  )
  expect(withHint({ shell: 'Name it with --picture FILE.' })).toBeUndefined()
  expect(withHint('Send fewer files.')).toBe('Send fewer files.')
})

test('no error of the catalogue tells a client of a command', () => {
  for (const code of Object.keys(ERRORS) as (keyof typeof ERRORS)[])
    expect(new MediaprocError(code).httpHint).not.toMatch(/(^|\s)--\w|\bmediaproc \w|\s-[a-z]\b/)
})
