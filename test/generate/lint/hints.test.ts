import { expect, test } from 'vitest'
import { hintFaults } from '../../../src/generate/lint/hints.ts'

const faults = (path: string, text: string): number => hintFaults(new Map([[path, text]])).length

test.each([
  ["hint: 'Name it with --page 2.'", 1],
  ["hint: 'Run fewer jobs with -j 1.'", 1],
  ['hint: `mediaproc models install ocr`', 1],
  ["hint: { shell: 'Name it with --page 2.' }", 0],
  ["hint: 'A cue has a line such as 00:00:01,000 --> 00:00:02,500.'", 0],
  ["hint: 'Send fewer files.'", 0],
])('%s', (text, count) => expect(faults('src/media/one.ts', text)).toBe(count))

test('only a hint for the command line may name a command', () => {
  expect(faults('src/cli/one.ts', "hint: 'See mediaproc help.'")).toBe(0)
})
