/** Geometry and texts of the controls that are drawn on a file. */
import { describe, expect, test } from 'vitest'
import { parsePageList, parsePageRange } from '../../src/media/pdf/page/page-range.ts'
import { catalogue } from '../../src/tool/registry.ts'
import { labelOf, type Setting } from '../../src/tool/settings.ts'
import type { SettingRow } from '../../web/src/api/types.ts'
import { AreaValues } from '../../web/src/draw/area-values.ts'
import { clipIn, momentsOf, momentsText, timeText, withClip, zoomed } from '../../web/src/draw/clip.ts'
import { cornersOf, cornersText } from '../../web/src/draw/corners.ts'
import { type ClipDrawing, drawingsOf, type RectangleDrawing } from '../../web/src/draw/drawings.ts'
import { areaText, isOnPage, readArea, rectangleOf } from '../../web/src/draw/page-area.ts'
import { pagesOf, textOf, toggled } from '../../web/src/draw/page-text.ts'
import { centred, moved, resized, spanned, whole } from '../../web/src/draw/rectangle.ts'
import { rectangleIn, withRectangle } from '../../web/src/draw/rectangle-values.ts'
import { defaultsOf } from '../../web/src/forms/values.ts'
import { scaledSettings } from '../../web/src/live/scaled.ts'
import { histogramOf, outlinesIn } from '../../web/src/run/report-shapes.ts'
import { nextZoom } from '../../web/src/run/zoom-steps.ts'

function rowOf(name: string, row: Setting): SettingRow {
  const { items, fields, ...facts } = row
  return {
    ...facts,
    ...{ name, label: labelOf(name, row) },
    ...(items && { items: rowOf('', items) }),
    ...(fields && { fields: Object.entries(fields).map(([field, one]) => rowOf(field, one)) }),
  } as SettingRow
}

const entryOf = (id: string) => catalogue().find((entry) => entry.id === id)!
const rowsOf = (id: string): SettingRow[] => Object.entries(entryOf(id).settings).map(([name, row]) => rowOf(name, row))

function drawings(id: string, values = {}) {
  const { input } = entryOf(id)
  const files = Object.keys(input.secondary ?? {}).map((name) => ({
    name,
    label: name,
    help: '',
    accept: [],
    required: false,
  }))
  const inputs = { accept: [...input.accept], minFiles: input.min, maxFiles: input.max, files }
  return drawingsOf({ settings: rowsOf(id), inputs }, { ...defaultsOf(rowsOf(id)), ...values })
}

test.each([
  ['crop', {}, ['rectangle']],
  ['pixelate', {}, ['rectangle']],
  ['crop-video', {}, ['rectangle']],
  ['compose', {}, []],
  ['trim-video', {}, ['clip']],
  ['video-to-gif', {}, ['clip']],
  ['ringtone-maker', {}, ['clip']],
  ['video-to-frames', {}, []],
  ['video-to-frames', { mode: 'timestamps' }, ['moments']],
  ['redact-pdf', {}, ['areas']],
  ['sign-certificate', {}, ['areas']],
  ['sign-pdf', {}, ['areas']],
  ['extract-pages', {}, ['pages']],
  ['split-pdf', {}, ['pages']],
  ['split-pdf', { mode: 'every' }, []],
  ['straighten', {}, ['corners']],
  ['vignette', {}, ['point']],
  ['erase-object', {}, ['mask']],
  ['compress', {}, []],
])('the controls of %s %o', (id, values, kinds) => {
  expect(drawings(id, values).map(({ kind }) => kind)).toEqual(kinds)
})

describe('a rectangle', () => {
  const limits = { picture: { width: 100, height: 80 }, least: { width: 1, height: 1 } }
  const box = { left: 10, top: 20, width: 30, height: 40 }

  test('stays inside the picture', () => {
    expect(moved(box, -50, 500, limits)).toEqual({ left: 0, top: 40, width: 30, height: 40 })
    expect(resized(box, { x: 1, y: -1 }, 500, -500, limits)).toEqual({ left: 10, top: 0, width: 90, height: 60 })
    expect(resized(box, { x: -1, y: 0 }, 500, 0, limits)).toEqual({ left: 39, top: 20, width: 1, height: 40 })
  })

  test.each([
    { x: 1, y: 1 },
    { x: -1, y: -1 },
    { x: 0, y: 1 },
    { x: -1, y: 0 },
  ] as const)('keeps its ratio by the handle %o, and its fixed corner', (handle) => {
    const made = resized(box, handle, 60, 70, { ...limits, ratio: 2 })
    expect(made.width / made.height).toBeCloseTo(2, 6)
    expect(made.left).toBeGreaterThanOrEqual(0)
    expect(made.top).toBeGreaterThanOrEqual(-1e-9)
    expect(made.left + made.width).toBeLessThanOrEqual(100 + 1e-9)
    expect(made.top + made.height).toBeLessThanOrEqual(80 + 1e-9)
    if (handle.x === 1) expect(made.left).toBe(10)
    if (handle.x === -1) expect(made.left + made.width).toBeCloseTo(40, 6)
    if (handle.y === -1) expect(made.top + made.height).toBeCloseTo(60, 6)
  })

  test('is drawn in every direction, also out of the picture', () => {
    expect(spanned({ x: 50, y: 40 }, { x: 20, y: 10 }, limits)).toEqual({ left: 20, top: 10, width: 30, height: 30 })
    expect(spanned({ x: 50, y: 40 }, { x: 500, y: 500 }, limits)).toEqual({ left: 50, top: 40, width: 50, height: 40 })
    expect(spanned({ x: -20, y: -5 }, { x: 30, y: 20 }, limits)).toEqual({ left: 0, top: 0, width: 30, height: 20 })
    expect(spanned({ x: 150, y: 90 }, { x: 60, y: 50 }, limits)).toEqual({ left: 60, top: 50, width: 40, height: 30 })
  })

  test('is whole pixels in the settings, or percent', () => {
    const [crop] = drawings('crop') as RectangleDrawing[]
    const picture = { width: 333, height: 200 }
    const values = withRectangle(crop!, { unit: 'px' }, picture, { left: 10.4, top: 0, width: 322.7, height: 200.2 })
    expect(values).toEqual({ unit: 'px', left: 10, top: 0, width: 323, height: 200 })
    const percent = withRectangle(crop!, { unit: 'percent' }, picture, { left: 111, top: 50, width: 111, height: 100 })
    expect(percent).toEqual({ unit: 'percent', left: 33.33, top: 25, width: 33.33, height: 50 })
    expect(whole(rectangleIn(crop!, percent, picture)!, picture)).toEqual({
      left: 111,
      top: 50,
      width: 111,
      height: 100,
    })
    expect(rectangleIn(crop!, { unit: 'px', left: 1 }, picture)).toBe(undefined)
    expect(centred({ ...limits, ratio: 1 }, 1)).toEqual({ left: 10, top: 0, width: 80, height: 80 })
  })
})

test('areas of pages are read as the tool reads them', () => {
  const page = { width: 600, height: 800 }
  const area = readArea('2-z 10% 80 50% 25%')!
  expect(rectangleOf(area, page)).toEqual({ left: 60, top: 80, width: 300, height: 200 })
  expect([1, 2, 9].map((number) => isOnPage(area, number, 9))).toEqual([false, true, true])
  expect([8, 9].map((number) => isOnPage(readArea('r2 0 0 1 1')!, number, 9))).toEqual([true, false])
  expect(areaText('2-z', { left: 120, top: 80.04, width: 300, height: 200 }, area, page)).toBe('2-z 20% 80 50% 25%')
  expect(areaText('1', { left: 1.26, top: 2, width: 3, height: 4 })).toBe('1 1.3 2 3 4')
  expect(['1 2 3 4', 'x 1 2 3 4', '1 a b c d', 5].map(readArea)).toEqual([undefined, undefined, undefined, undefined])
})

test('placements are shares of the page, with the other fields that they need', () => {
  const [drawing] = drawings('sign-pdf') as { row: SettingRow }[]
  const pdf = {
    pages: [
      { width: 100, height: 200 },
      { width: 400, height: 200 },
    ],
  }
  const areas = new AreaValues(drawing!.row, {}, pdf)
  const rectangle = { left: 40, top: 20, width: 100, height: 50 }
  const values = areas.withNew(0, 2, rectangle)
  expect(values).toEqual({ placements: [{ sig: 0, page: 1, x: 0.1, y: 0.1, w: 0.25, h: 0.25 }] })
  const made = new AreaValues(drawing!.row, values, pdf)
  expect([made.on(1), made.on(2)]).toEqual([[], [{ index: 0, rectangle }]])
  expect(made.withChanged(0, 2, { ...rectangle, left: 0 })).toMatchObject({ placements: [{ sig: 0, page: 1, x: 0 }] })
  expect(made.without(0)).toEqual({ placements: undefined })
})

describe('pages as a text', () => {
  const selections = [[], [1], [1, 2], [1, 2, 3], [2, 4, 6], [3, 1, 2], [5, 5], [9, 8, 7], [1, 3, 4, 5, 9]]

  test.each(selections)('%j is read back by the tool', (...pages) => {
    const text = textOf(pages, 9, 'page-range')
    expect(pagesOf(text, 9, 'page-range')).toEqual(pages)
    if (pages.length > 0) expect(parsePageRange(text, 9)).toEqual(pages)
  })

  test.each(['all', '', '1-3, 7', 'z', 'r2-z', 'ALL'])('the list %j has the pages that the tool takes', (text) => {
    expect(pagesOf(text, 9, 'page-list')).toEqual(parsePageList(text, 9))
  })

  test.each([
    ['0', 'page-range'],
    ['10', 'page-range'],
    ['1, 2', 'page-range'],
    ['3-1', 'page-list'],
    ['z', 'page-numbers'],
    ['one', 'page-list'],
    ['1,,2', 'page-range'],
  ] as const)('%j is refused as %s', (text, grammar) => {
    expect(pagesOf(text, 9, grammar)).toBe(undefined)
  })

  test('the whole document has a short name, and new pages keep an order', () => {
    expect([textOf([1, 2, 3], 3, 'page-range'), textOf([1, 2, 3], 3, 'page-list')]).toEqual(['1-z', 'all'])
    expect(toggled([2, 5], [3, 4], true)).toEqual([2, 3, 4, 5])
    expect(toggled([5, 2], [3], true)).toEqual([5, 2, 3])
    expect(toggled([5, 2, 5], [5], false)).toEqual([2])
  })
})

test('corners in pixels and percent', () => {
  const picture = { width: 200, height: 100 }
  const points = cornersOf('10%,10% 90%,20;180,95 20,90', picture)
  expect(points).toEqual([
    { x: 20, y: 10 },
    { x: 180, y: 20 },
    { x: 180, y: 95 },
    { x: 20, y: 90 },
  ])
  expect(cornersText(points!, picture)).toBe('20,10 180,20 180,95 20,90')
  expect(cornersOf('1,2 3,4', picture)).toBe(undefined)
})

describe('a part of a media file', () => {
  test('by start and end, inside the file', () => {
    const [clip] = drawings('trim-video') as ClipDrawing[]
    expect(clipIn(clip!, {}, 12.5)).toEqual({ start: 0, end: 12.5 })
    expect(withClip(clip!, {}, { start: 2, end: 99 }, 12.34567)).toEqual({ startS: 2, endS: 12.345 })
    expect(withClip(clip!, {}, { start: 5, end: 3 }, 12)).toEqual({ startS: 5, endS: 5.01 })
    expect(withClip(clip!, {}, { start: 5, end: 3 }, 12, 'end')).toEqual({ startS: 2.99, endS: 3 })
  })

  test('by start and length, which has limits', () => {
    const [clip] = drawings('ringtone-maker') as ClipDrawing[]
    expect(clipIn(clip!, { startS: 5, durationS: 10 }, 60)).toEqual({ start: 5, end: 15 })
    expect(withClip(clip!, {}, { start: 5, end: 55 }, 60)).toEqual({ startS: 5, durationS: 30 })
    expect(withClip(clip!, {}, { start: 5, end: 55 }, 60, 'end')).toEqual({ startS: 25, durationS: 30 })
  })

  test('moments, times and views', () => {
    expect([momentsOf('1.5, 5,x'), momentsOf('[1,2]'), momentsOf([3, 4]), momentsOf(undefined)]).toEqual([
      [1.5, 5],
      [1, 2],
      [3, 4],
      [],
    ])
    expect(momentsText([1.23456, 5])).toBe('1.235,5')
    expect([0, 59.999, 75.25, 3661].map(timeText)).toEqual(['0:00.00', '1:00.00', '1:15.25', '1:01:01.00'])
    expect(zoomed({ from: 0, length: 60 }, 0.5, 58, 60)).toEqual({ from: 30, length: 30 })
    expect(zoomed({ from: 30, length: 30 }, 4, 40, 60)).toEqual({ from: 0, length: 60 })
  })
})

describe('settings for a small copy', () => {
  const picture = { width: 2000, height: 1000 }
  const scaled = (id: string, values: object) =>
    scaledSettings(rowsOf(id), { ...defaultsOf(rowsOf(id)), ...values }, 0.5, picture)

  test('pixels become fewer, also those of defaults; shares stay', () => {
    expect(scaled('resize', { width: 801, focusX: 20 })).toMatchObject({ width: 401, focusX: 20 })
    expect(scaled('border', { color: '#ff0000' })).toMatchObject({ width: 5, color: '#ff0000' })
    expect(scaled('border', {})).toBe(undefined)
    const region = { left: 100, top: 50, width: 30, height: 40 }
    expect(scaled('pixelate', { region })).toEqual({
      blockSize: 6,
      region: { left: 50, top: 25, width: 15, height: 20 },
    })
    expect(scaled('straighten', { corners: '10%,10% 1800,100 1800,900 200,900' })).toMatchObject({
      corners: '100,50 900,50 900,450 100,450',
    })
  })

  test('none where a copy would differ, or where the form has faults', () => {
    expect(scaled('resize', { preset: 'instagram-post-square' })).toBe(undefined)
    expect(scaled('adjust-colors', { sharpness: 10 })).toBe(undefined)
    expect(scaled('pixelate', { blockSize: 3 })).toEqual({ blockSize: 2 })
    expect(scaledSettings(rowsOf('pixelate'), { blockSize: 13 }, 0.1, picture)).toBe(undefined)
    expect(scaled('text-overlay', { text: '' })).toBe(undefined)
  })
})

test('pictures of reports are found by their shape', () => {
  const counts = Array.from({ length: 256 }, (_, level) => level)
  expect(histogramOf({ r: counts, g: counts })?.map(({ name }) => name)).toEqual(['r', 'g'])
  expect([histogramOf({ r: [1, 2] }), histogramOf({}), histogramOf(counts)]).toEqual([undefined, undefined, undefined])
  const square = [
    { x: 1, y: 2 },
    { x: 4, y: 2 },
    { x: 4, y: 6 },
    { x: 1, y: 6 },
  ]
  const [topLeft, topRight, bottomRight, bottomLeft] = square
  const found = [{ number: 1, points: square }]
  expect(outlinesIn({ faces: [{ x: 1, y: 2, w: 3, h: 4 }] })).toEqual(found)
  expect(outlinesIn({ faces: [{ left: 1, top: 2, width: 3, height: 4 }] })).toEqual(found)
  expect(outlinesIn({ codes: [{ position: { topLeft, topRight, bottomRight, bottomLeft } }] })).toEqual(found)
  expect(outlinesIn({ pages: [{ width: 3, height: 4 }], name: 'a' })).toEqual([])
})

test('zoom goes by steps, from any size', () => {
  expect([nextZoom(0.42, 1), nextZoom(0.42, -1), nextZoom(1, 1), nextZoom(16, 1), nextZoom(0.01, -1)]).toEqual([
    0.5, 0.25, 1.5, 16, 0.05,
  ])
})
