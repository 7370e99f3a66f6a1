import { expect, test } from 'vitest'
import { conditionText, meetsCondition } from '../../src/tool/condition.ts'
import {
  expectedExtension,
  type OutputType,
  outputTypeText,
  possibleTypes,
  SAME_PICTURE,
} from '../../src/tool/output-type.ts'

const BY_ACTION: OutputType = [{ when: { action: 'extract' }, setting: 'format' }, { is: 'gif' }]

test.each<[OutputType, string, Record<string, unknown>, string | undefined]>([
  [{ is: 'pdf' }, 'a.docx', {}, 'pdf'],
  [{ oneOf: ['mp4', 'webm'] }, 'a.mp4', {}, undefined],
  [{ setting: 'format' }, 'a.png', { format: 'jpeg' }, 'jpg'],
  [{ setting: 'format' }, 'a.PNG', { format: 'original' }, 'png'],
  [{ setting: 'format', maybe: ['png'] }, 'a.jpg', { format: 'jpeg' }, undefined],
  [{ byInput: { gif: 'webp', webp: 'gif' } }, 'a.gif', {}, 'webp'],
  [{ byInput: { gif: 'webp', webp: 'gif' } }, 'a.png', {}, undefined],
  [{ byInput: { gif: 'webp' } }, 'a.constructor', {}, undefined],
  [SAME_PICTURE, 'a.jpeg', {}, 'jpeg'],
  [SAME_PICTURE, 'a.heic', {}, undefined],
  [{ same: ['jpg'], or: ['png'] }, 'a.heic', {}, 'png'],
  [{ ...SAME_PICTURE, maybe: ['png'] }, 'a.jpg', {}, undefined],
  [{ same: true, or: ['mp3'] }, 'a.wav', {}, undefined],
  [{ same: true }, 'a.mkv', {}, 'mkv'],
  [BY_ACTION, 'a.gif', { action: 'extract', format: 'webp' }, 'webp'],
  [BY_ACTION, 'a.png', { action: 'resize', format: 'webp' }, 'gif'],
])('%j of %s with %j is expected to be %s', (type, name, settings, expected) => {
  expect(expectedExtension(type, name, settings)).toBe(expected)
})

test.each<[OutputType, string[], Record<string, unknown>, string[]]>([
  [{ is: 'pdf' }, ['image'], {}, ['pdf']],
  [SAME_PICTURE, ['heic'], {}, ['jpg', 'png']],
  [SAME_PICTURE, ['jpg', 'webp'], {}, ['jpg', 'webp']],
  [SAME_PICTURE, ['image'], {}, ['image']],
  [{ same: true, or: ['mp3'] }, ['wav'], {}, ['wav', 'mp3']],
  [{ setting: 'format', maybe: ['png'] }, ['jpg'], { format: 'jpeg' }, ['jpg', 'png']],
  [{ byInput: { gif: 'webp', webp: 'gif' } }, ['image'], {}, ['webp', 'gif']],
  [{ oneOf: ['*'] }, ['zip'], {}, ['*']],
])('%j of %j with %j may be %j', (type, inputs, settings, expected) => {
  expect(possibleTypes(type, inputs, settings)).toEqual(expected)
})

test('facts as sentences', () => {
  expect(
    [{ is: 'png' }, { oneOf: ['mp4', 'webm'] }, SAME_PICTURE, BY_ACTION].map((one) =>
      outputTypeText(one as OutputType),
    ),
  ).toEqual([
    'png',
    'mp4 or webm',
    'same as the input; what cannot be kept becomes jpg or png',
    'from the setting format with action extract; gif otherwise',
  ])
})

test('a condition names the required values of settings', () => {
  expect(meetsCondition(undefined, {})).toBe(true)
  expect(meetsCondition({ mode: ['a', 'b'], on: true }, { mode: 'b', on: true })).toBe(true)
  expect(meetsCondition({ mode: ['a', 'b'], on: true }, { mode: 'b', on: false })).toBe(false)
  expect(meetsCondition({ mode: 'a' }, {})).toBe(false)
  expect(conditionText({ mode: ['a', 'b'], level: 3 })).toBe('mode a or b and level 3')
  expect(conditionText({ shadow: true })).toBe('shadow')
})
