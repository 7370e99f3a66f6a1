import { expect, test } from 'vitest'
import { settingSchema } from '../../src/tool/json-schema.ts'
import { choice, text } from '../../src/tool/settings.ts'
import { checkSettings } from '../../src/tool/validate.ts'

const table = {
  font: choice(['anton', 'roboto'], 'the letters', { default: 'anton', otherwise: 'anton' }),
  strict: text('one of two', { enum: ['a', 'b'] }),
}

test('a list of words with a rest accepts every word', () => {
  expect(checkSettings(table, { font: 'ROBOTO' })).toMatchObject({ font: 'roboto' })
  expect(checkSettings(table, { font: 'papyrus' })).toMatchObject({ font: 'anton' })
  expect(() => checkSettings(table, { font: 7 })).toThrow(/font/)
  expect(() => checkSettings(table, { strict: 'c' })).toThrow(/strict/)
})

test('its schema offers the list and refuses no word', () => {
  expect(settingSchema(table.font)).toMatchObject({ anyOf: [{ enum: ['anton', 'roboto'] }, { type: 'string' }] })
  expect(settingSchema(table.strict)).toMatchObject({ enum: ['a', 'b'] })
})
