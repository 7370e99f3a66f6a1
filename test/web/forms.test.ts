/** The forms of the console: for every row of every tool a control, and settings that the server accepts. */
import { describe, expect, test } from 'vitest'
import { checkRequestSettings } from '../../src/server/jobs/settings-field.ts'
import { catalogue } from '../../src/tool/registry.ts'
import { labelOf, type Setting } from '../../src/tool/settings.ts'
import { toolLabel } from '../../src/tool/tool-label.ts'
import type { SettingRow } from '../../web/src/api/types.ts'
import { acceptAttribute, isAccepted } from '../../web/src/files/accept.ts'
import { changeText, sizeText } from '../../web/src/files/size.ts'
import { colorText, partsOf } from '../../web/src/forms/color-value.ts'
import { controlOf } from '../../web/src/forms/control-of.ts'
import { defaultsOf, faultOf, faultyRows, settingsOf, shownRows, valuesFor } from '../../web/src/forms/values.ts'
import { tableRows } from '../../web/src/run/table-rows.ts'
import { crc32, uniqueNames, zipOf } from '../../web/src/run/zip.ts'

/** A row as the API has it. */
function rowOf(name: string, row: Setting): SettingRow {
  const { items, fields, ...facts } = row
  return {
    ...facts,
    ...{ name, label: labelOf(name, row) },
    ...(items && { items: rowOf('', items) }),
    ...(fields && { fields: Object.entries(fields).map(([field, one]) => rowOf(field, one)) }),
  } as SettingRow
}

const rowsOf = (table: Record<string, Setting>): SettingRow[] =>
  Object.entries(table).map(([name, row]) => rowOf(name, row))

describe('every tool', () => {
  test('sends nothing before a change', () => {
    for (const { id, settings } of catalogue()) {
      const rows = rowsOf(settings)
      expect([id, settingsOf(rows, defaultsOf(rows))]).toEqual([id, {}])
    }
  })

  test('sends its examples unchanged, and the server accepts them', () => {
    let count = 0
    for (const { id, settings, examples } of catalogue())
      for (const { settings: given = {} } of examples) {
        const rows = rowsOf(settings)
        const values = valuesFor(rows, given)
        const sent = settingsOf(rows, values)
        // A form cannot tell an empty text from none.
        const plain = Object.entries(given).filter(
          ([name, value]) => value !== '' && (name in sent || value !== settings[name]?.default),
        )
        const shown = new Set(shownRows(rows, values).map(({ name }) => name))
        const wanted = plain.filter(([name]) => shown.has(name))
        expect([id, sent]).toEqual([id, Object.fromEntries(wanted)])
        const filled = { ...sent }
        for (const row of rows) if (row.required && !(row.name in filled)) filled[row.name] = row.example
        expect(() => checkRequestSettings({ settings }, filled)).not.toThrow()
        count += 1
      }
    expect(count).toBeGreaterThan(300)
  })

  test('has a control for every row, with a label', () => {
    const kinds = new Set<string>()
    for (const { settings } of catalogue())
      for (const row of rowsOf(settings)) {
        kinds.add(controlOf(row).kind)
        expect(row.label).toMatch(/^\S/)
      }
    expect([...kinds].sort()).toEqual(
      [
        ...['color', 'grid', 'group', 'line', 'lines', 'list', 'number', 'secret', 'segments', 'select', 'slider'],
        ...['switch', 'words'],
      ].sort(),
    )
  })
})

test('positions are a grid of nine, and what has no place is beside it', () => {
  const row = rowOf('position', catalogue().find(({ id }) => id === 'watermark-text')!.settings.position!)
  const control = controlOf(row)
  expect(control).toMatchObject({ kind: 'grid', others: ['tiled'] })
  expect([...(control as { cells: ReadonlyMap<string, number> }).cells].sort((a, b) => a[1] - b[1])).toEqual([
    ['top-left', 0],
    ['top-right', 2],
    ['center', 4],
    ['bottom-left', 6],
    ['bottom-right', 8],
  ])
})

test('what is filled in by the tool is sent only if it was chosen, and conditions know it', () => {
  const rows = [
    { ...{ name: 'fit', label: 'Fit', help: '', type: 'enum', enum: ['cover', 'contain'] }, default: 'contain' },
    { name: 'background', label: 'Background', help: '', type: 'color', when: { fit: 'contain' } },
  ].map((row) => ({ ...row, filledByTool: row.name === 'fit' })) as SettingRow[]
  expect(settingsOf(rows, { ...defaultsOf(rows), background: '#ffffff' })).toEqual({ background: '#ffffff' })
  expect(settingsOf(rows, { fit: 'contain' })).toEqual({ fit: 'contain' })
  expect(shownRows(rows, { fit: 'cover' }).map(({ name }) => name)).toEqual(['fit'])
})

test('faults are found by range, kind and need, before a request', () => {
  const row = (parts: Partial<SettingRow>): SettingRow => ({
    name: 'x',
    label: 'X',
    help: '',
    type: 'integer',
    ...parts,
  })
  expect(faultOf(row({ min: 1, max: 9 }), 10)).toEqual({ kind: 'max', limit: 9 })
  expect(faultOf(row({ min: 1 }), 0)).toEqual({ kind: 'min', limit: 1 })
  expect(faultOf(row({ exclusiveMin: 0 }), 0)).toEqual({ kind: 'above', limit: 0 })
  expect(faultOf(row({}), 1.5)).toEqual({ kind: 'whole' })
  expect(faultOf(row({ required: true }), '')).toEqual({ kind: 'required' })
  expect(faultOf(row({ type: 'array', minLength: 2 }), ['a'])).toEqual({ kind: 'few', limit: 2 })
  expect(faultOf(row({ min: 1 }), undefined)).toBeUndefined()
  const hidden = row({ required: true, when: { mode: 'other' } })
  expect(faultyRows([hidden], { mode: 'this' })).toEqual([])
})

test('text that is no number is a fault, also in a list, and is neither sent nor the default', () => {
  const width = { name: 'width', label: 'Width', help: '', type: 'integer', default: 8 } as SettingRow
  const sizes = { name: 'sizes', label: 'Sizes', help: '', type: 'array', items: { ...width, name: '' } } as SettingRow
  expect(faultOf(width, Number.NaN)).toEqual({ kind: 'number' })
  expect(settingsOf([width], { width: Number.NaN })).toEqual({})
  expect(faultyRows([width, sizes], { width: Number.NaN, sizes: [1, Number.NaN] })).toEqual([width, sizes])
  expect(faultyRows([width, sizes], { sizes: [1, 2] })).toEqual([])
})

test('no example of a tool is a fault', () => {
  for (const { id, settings, examples } of catalogue())
    for (const { settings: given = {} } of examples) {
      const rows = rowsOf(settings)
      const values = valuesFor(rows, given)
      const faulty = faultyRows(rows, values).filter(({ name }) => name in given)
      expect([id, faulty.map(({ name }) => name)]).toEqual([id, []])
    }
})

test('colours keep their alpha', () => {
  expect(partsOf('#1a2')).toEqual({ hex: '#11aa22', alpha: 1 })
  expect(partsOf('#11AA2280')).toMatchObject({ hex: '#11aa22' })
  expect(colorText('#11aa22', 0.5)).toBe('#11aa2280')
  expect(colorText('#11aa22', 1)).toBe('#11aa22')
  expect(partsOf('transparent')).toBeUndefined()
})

test('files are accepted by group, type and other extensions of a type', () => {
  const groups = { image: ['jpg', 'png'], jpg: ['jpg', 'jpeg'] }
  expect(isAccepted('A.JPEG', ['jpg'], groups)).toBe(true)
  expect(isAccepted('a.png', ['image'], groups)).toBe(true)
  expect(isAccepted('a.pdf', ['image', 'jpg'], groups)).toBe(false)
  expect(isAccepted('noextension', ['*'], groups)).toBe(true)
  expect(acceptAttribute(['image', 'jpg'], groups)).toBe('.jpg,.png,.jpeg')
})

test('tools have labels with the spelling of their words', () => {
  const all = new Map(catalogue().map((entry) => [entry.id, toolLabel(entry)]))
  expect([...all.values()].every((label) => /^[A-Z]/.test(label))).toBe(true)
  expect(['merge-pdf', 'jpg-to-webp', 'compress-image-to-50kb', 'resize'].map((id) => all.get(id))).toEqual([
    ...['Merge PDF', 'JPG to WebP', 'Compress image to 50 kB', 'Resize'],
  ])
})

test('sizes and changes are short', () => {
  expect([0, 999, 1500, 12_345, 999_600, 1_234_567].map(sizeText)).toEqual([
    ...['0 B', '999 B', '1.5 kB', '12 kB', '1.0 MB', '1.2 MB'],
  ])
  expect([changeText(100, 42), changeText(100, 150), changeText(0, 5)]).toEqual(['−58 %', '+50 %', undefined])
})

test('a table is read with quotes, separators and lines in cells', () => {
  expect(tableRows('a,"b ""x"", y"\r\n"1\n2",3\n', ',', 9)).toEqual([
    ['a', 'b "x", y'],
    ['1\n2', '3'],
  ])
})

test('the ZIP of results is read by another program', async () => {
  const { fromBuffer } = await import('yauzl')
  const files = [
    { name: 'ä.txt', blob: new Blob(['one']) },
    { name: 'ä.txt', blob: new Blob(['two']) },
  ]
  const bytes = Buffer.from(await (await zipOf(files)).arrayBuffer())
  const found: Record<string, string> = {}
  await new Promise<void>((done, failed) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return failed(error)
      zip.on('entry', (entry) =>
        zip.openReadStream(entry, async (fault, stream) => {
          if (fault) return failed(fault)
          const parts: Buffer[] = []
          for await (const part of stream) parts.push(part as Buffer)
          found[entry.fileName] = Buffer.concat(parts).toString()
          expect(crc32(Buffer.concat(parts))).toBe(entry.crc32)
          zip.readEntry()
        }),
      )
      zip.on('end', done)
      zip.readEntry()
    }),
  )
  expect(found).toEqual({ 'ä.txt': 'one', 'ä_1.txt': 'two' })
  expect(uniqueNames(['A.png', 'a.png', 'x'])).toEqual(['A.png', 'a_1.png', 'x'])
})
