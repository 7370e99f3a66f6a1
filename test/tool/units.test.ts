import { expect, test } from 'vitest'
import { settingSchema } from '../../src/tool/json-schema.ts'
import { integer, number } from '../../src/tool/settings.ts'
import { inspectSettings } from '../../src/tool/validate.ts'
import { convertValue } from '../../src/tool/values/values.ts'

const values = (unit: string, ...given: unknown[]): unknown[] =>
  given.map((one) => convertValue(number('a value', { unit }), one))

test('times as a clock, and with their unit', () => {
  expect(values('s', '1:30', '00:01:30', '1:00:00.25', '0:05', '90', '90s', '1.5 min', '250ms', '2h', 90)).toEqual([
    ...[90, 90, 3600.25, 5, 90, 90, 90, 0.25, 7200, 90],
  ])
  expect(values('s', '1:60', '1:2:3:4', ':30', '1:', '-1:30', '5px', 'abc', '1:75:00', '')).toEqual(
    Array.from({ length: 9 }, () => undefined),
  )
})

test('sizes, rates, lengths and shares with their unit', () => {
  expect(values('kB', '2MB', '500kB', '0.29 mb', '500', '2048B', '1MiB', '20k')).toEqual([
    ...[2000, 500, 290, 500, 2.048, 1048.576, 20],
  ])
  expect(values('kbit/s', '128k', '2M', '192kbps', '1.5Mbit/s')).toEqual([128, 2000, 192, 1500])
  expect(values('Hz', '44.1kHz', '48000 Hz')).toEqual([44100, 48000])
  expect(values('%', '50%', '50 %', '12.5%')).toEqual([50, 50, 12.5])
  expect(values('px', '800px', '.5px', '-3px')).toEqual([800, 0.5, -3])
  expect(values('pt', '1in', '10mm')).toEqual([72, expect.closeTo(28.3465, 3)])
  expect(values('degrees', '90°', '45deg')).toEqual([90, 45])
  expect(values('kB', '2px', '2 MB 3', 'MB', '2e3kB')).toEqual([undefined, undefined, undefined, undefined])
})

test('a row without a unit accepts none, a clock is for seconds only, and ranges and whole numbers apply', () => {
  expect(convertValue(number('a factor'), '50%')).toBeUndefined()
  expect(values('px', '1:30', '50%')).toEqual([undefined, undefined])
  const share = integer('a share', { unit: '%', min: 1, max: 100 })
  expect([...['50%', '101%', '0.5%'].map((given) => convertValue(share, given))]).toEqual([50, undefined, undefined])
  const { issues } = inspectSettings({ endS: number('the end', { unit: 's', max: 60 }) }, { endS: '1:30' })
  expect(issues.map(({ message }) => message)).toEqual(['Expected a number of at most 60 for endS, got 1:30'])
})

test('JSON input stays a number', () => {
  expect(settingSchema(number('the end', { unit: 's', min: 0 }))).toMatchObject({ type: 'number', minimum: 0 })
})
