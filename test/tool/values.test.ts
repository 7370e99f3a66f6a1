import { expect, test } from 'vitest'
import { settingSchema } from '../../src/tool/json-schema.ts'
import { expectedExtension } from '../../src/tool/output-type.ts'
import { color, text } from '../../src/tool/settings.ts'
import { convertValue, describeExpected } from '../../src/tool/values/values.ts'

test('accepts a colour with alpha only if its row declares it', () => {
  const [solid, clear] = [color('a colour'), color('a colour', { alpha: true })]
  expect(['#12AB34', '#12AB3480', '#12AB348'].map((given) => convertValue(solid, given))).toEqual([
    '#12ab34',
    undefined,
    undefined,
  ])
  expect(['#12AB34', '#12AB3480', '#12AB348'].map((given) => convertValue(clear, given))).toEqual([
    '#12ab34',
    '#12ab3480',
    undefined,
  ])
  expect(describeExpected(clear)).toBe('a colour as #RRGGBB, #RRGGBBAA or in CSS (red, rgb(255 0 0 / 50%))')
  const pattern = new RegExp(String(settingSchema(clear).pattern))
  expect(['#12AB34', '#12AB3480', '#12AB348'].map((given) => pattern.test(given))).toEqual([true, true, false])
})

test('a text of a few words accepts these in any case, and no other', () => {
  const row = text('a type', { enum: ['image/png', 'image/webp'] })
  expect(['IMAGE/png', 'image/webp', 'image/gif', ''].map((given) => convertValue(row, given))).toEqual([
    'image/png',
    'image/webp',
    undefined,
    undefined,
  ])
  expect(describeExpected(row)).toBe('one of image/png or image/webp')
  expect(settingSchema(row)).toMatchObject({ type: 'string', enum: ['image/png', 'image/webp'] })
})

test('the expected extension is the usual one of the format', () => {
  const expected = (format: string) => expectedExtension({ setting: 'format' }, 'a.svg', { format })
  expect(['jpeg', 'png', 'tiff', 'heif'].map(expected)).toEqual(['jpg', 'png', 'tiff', 'heif'])
})
